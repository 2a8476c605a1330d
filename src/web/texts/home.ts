/** Texts of the home page. */
export const homeTexts = {
  'home.title': ['Right now', 'Gerade jetzt'],
  'home.wrong': ['Needs attention', 'Braucht Aufmerksamkeit'],
  'home.quiet': ['Nothing needs attention.', 'Nichts braucht Aufmerksamkeit.'],
  'home.counts': [
    '{instances} {instances|instance|instances}, {bindings} {bindings|binding|bindings}.',
    '{instances} {instances|Instanz|Instanzen}, {bindings} {bindings|Bindung|Bindungen}.',
  ],
  'home.underWay': ['Under way', 'In Arbeit'],
  'home.idle': ['No operation is under way.', 'Es läuft keine Operation.'],
  'home.frozen': [
    'New orders are refused: {reason} (by {by})',
    'Neue Aufträge werden abgewiesen: {reason} (von {by})',
  ],
  'home.frozenAll': [
    'New orders, deletes and unbinds are refused: {reason} (by {by})',
    'Neue Aufträge, Abbau und Lösen werden abgewiesen: {reason} (von {by})',
  ],
  'home.node': [
    'Node {name} has not been heard of for {time}.',
    'Knoten {name} hat sich seit {time} nicht gemeldet.',
  ],
  'home.package': ['Package {name} is not offered', 'Paket {name} wird nicht angeboten'],
  'home.instance': ['Instance {name} failed', 'Instanz {name} ist fehlgeschlagen'],
  'home.operation': ['{action} of {instance} is in quarantine', '{action} von {instance} ist in Quarantäne'],
  'home.empty': ['Nothing has been ordered yet.', 'Es wurde noch nichts bestellt.'],
  'home.emptyHint': [
    'A platform orders through the Open Service Broker API; you can order here or on the command line.',
    'Eine Plattform bestellt über die Open Service Broker API; hier oder auf der Befehlszeile geht es auch.',
  ],
} as const
