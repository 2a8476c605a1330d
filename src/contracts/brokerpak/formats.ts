/** The formats that the validator of the originals knows. */

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  ipv4: (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text),
  ipv6: (text) => text.includes(':') && URL.canParse(`http://[${text}]`),
  uri: (text) => URL.canParse(text) && /^[a-z][a-z0-9+.-]*:/i.test(text),
  'uri-reference': (text) => !text.includes('\\') && URL.canParse(text, 'http://a/'),
  hostname: (text) => /^(?=.{1,255}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9-]{1,63})*$/i.test(text),
  uuid: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/i.test(text) &&
    !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  time: (text) => /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/.test(text),
}

/** Whether a text has a format; unknown formats are not checked. */
export function hasFormat(text: string, format: string): boolean {
  return checks[format]?.(text) ?? true
}
