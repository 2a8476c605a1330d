/** Where programs are looked for when no path is given: those of this host as well as those of images. */

/** The first one first. */
export const usualFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

export const usualPath = usualFolders.join(':')
