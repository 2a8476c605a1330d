/** Texts of lists, filters and dialogs. */
export const listTexts = {
  'list.pages': ['Pages of the list', 'Seiten der Liste'],
  'list.next': ['Next page', 'Nächste Seite'],
  'list.first': ['First page', 'Erste Seite'],
  'list.noneFit': ['Nothing fits these filters.', 'Nichts passt zu diesen Filtern.'],
  'list.showAll': ['Show all', 'Alle zeigen'],
  'list.any': ['any', 'alle'],
  'list.search': ['Name or id begins with', 'Name oder Id beginnt mit'],
  'list.state': ['State', 'Zustand'],
  'list.order': ['Order', 'Reihenfolge'],
  'list.latest': ['latest change first', 'neueste Änderung zuerst'],
  'list.byId': ['by id', 'nach Id'],
  'dialog.type': ['Type {name} to go on', 'Zum Fortfahren {name} eingeben'],
} as const
