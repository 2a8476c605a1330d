/** Plain scalars that YAML 1.1 reads otherwise than later versions do, and what they mean. */
export const yamlScalars: readonly (readonly [string, boolean | number | string])[] = [
  ['yes', true],
  ['Off', false],
  ['0777', 511],
  ['0x1f', 31],
  ['1_000', 1000],
  ['1e3', 1000],
  ['.5', 0.5],
  ['+1', 1],
  ['2001-01-01', '2001-01-01'],
  ['6.2.1', '6.2.1'],
]
