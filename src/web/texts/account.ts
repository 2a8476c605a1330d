/** Texts of the account page. */
export const accountTexts = {
  'account.role': ['Role', 'Rolle'],
  'account.permissions': ['May', 'Darf'],
  'account.ends': ['Session ends at the latest', 'Sitzung endet spätestens'],
  'account.idle': ['and after {time} without use', 'und nach {time} ohne Benutzung'],
  'account.language': ['Language', 'Sprache'],
  'account.broker': ['Broker', 'Broker'],
  'account.version': ['Version', 'Version'],
  'account.cluster': ['Cluster', 'Cluster'],
  'account.logOut': ['Log out', 'Abmelden'],
  'account.command': ['Log in on the command line', 'Auf der Befehlszeile anmelden'],
} as const
