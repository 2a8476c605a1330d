/** A value that must not be seen: it prints as three stars wherever it is not asked for by name. */

const shown = '***'

export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  /** The value itself; only for writing a job's input, answering its owner, or sealing. */
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return shown
  }
  toJSON(): string {
    return shown
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return shown
  }
}
