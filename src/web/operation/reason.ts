/** Why an operation is as it is, without the lines of its log, which stand beside it. */
export function reasonAlone(reason: string): string {
  return reason.split('; last lines of the log: ')[0] ?? reason
}
