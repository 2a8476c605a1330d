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
  'account.password': ['Change the password', 'Passwort ändern'],
  'account.setPassword': ['Set the password', 'Passwort setzen'],
  'account.passwordWhat': [
    'All sessions of the account end; this browser goes on with a new one.',
    'Alle Sitzungen des Kontos enden; dieser Browser bekommt eine neue.',
  ],
  'account.currentPassword': ['The password until now', 'Das Passwort bisher'],
  'account.newPassword': [
    'The new password, of {least} characters or more',
    'Das neue Passwort, mindestens {least} Zeichen',
  ],
  'account.inConfiguration': [
    'The account and its password stand in the configuration of the broker.',
    'Das Konto und sein Passwort stehen in der Konfiguration des Brokers.',
  ],
  'account.atProvider': [
    'The account is one of the identity provider: its password is changed there, and its roles are given there.',
    'Das Konto gehört dem Identity-Provider: Dort wird sein Passwort geändert, dort bekommt es seine Rollen.',
  ],
  'account.logOut': ['Log out', 'Abmelden'],
  'account.command': ['Log in on the command line', 'Auf der Befehlszeile anmelden'],
} as const
