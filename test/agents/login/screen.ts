/** As much of a terminal as a full-screen program needs to be read: its rows, as text. */
export class Screen {
  private rows: Array<Array<string>>
  private x = 0
  private y = 0
  private rest = ""
  private kept = { x: 0, y: 0 }
  private readonly width: number
  private readonly height: number

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.rows = this.blank()
  }

  text(): string {
    return this.rows
      .map((row) => row.join("").trimEnd())
      .filter((row) => row !== "")
      .join("\n")
  }

  write(chunk: string): void {
    const text = this.rest + chunk
    this.rest = ""
    let at = 0
    while (at < text.length) {
      if (text[at] !== "\u001b") {
        const letter = String.fromCodePoint(text.codePointAt(at) ?? 32)
        this.put(letter)
        at += letter.length
        continue
      }
      const after = text.slice(at + 1, at + 4096)
      const length = lengthOf(after)
      if (length === undefined) {
        this.rest = text.slice(at)
        return
      }
      const [, written = "", letter] = control.exec(after) ?? []
      if (letter !== undefined) this.control(letter, written)
      else if (after.startsWith("7")) this.kept = { x: this.x, y: this.y }
      else if (after.startsWith("8")) ({ x: this.x, y: this.y } = this.kept)
      at += 1 + length
    }
  }

  private blank(): Array<Array<string>> {
    return Array.from({ length: this.height }, () => [])
  }

  private put(letter: string): void {
    if (letter === "\n") this.down()
    else if (letter === "\r") this.x = 0
    else if (letter === "\b") this.x = Math.max(0, this.x - 1)
    else if (letter >= " ") {
      if (this.x >= this.width) {
        this.x = 0
        this.down()
      }
      const row = this.rows[this.y] ?? []
      while (row.length < this.x) row.push(" ")
      row[this.x++] = letter
    }
  }

  private down(): void {
    if (this.y < this.height - 1) this.y++
    else this.rows = [...this.rows.slice(1), []]
  }

  private control(letter: string, written: string): void {
    if (written.startsWith("?")) {
      if (written === "?1049") this.rows = this.blank()
      return
    }
    const [first = 0, second = 0] = written.split(";").map(Number)
    const count = Math.max(1, first)
    const row = this.rows[this.y] ?? []
    if (letter === "A") this.y = Math.max(0, this.y - count)
    else if (letter === "B") this.y = Math.min(this.height - 1, this.y + count)
    else if (letter === "C") this.x = Math.min(this.width - 1, this.x + count)
    else if (letter === "D") this.x = Math.max(0, this.x - count)
    else if (letter === "G") this.x = count - 1
    else if (letter === "d") this.y = Math.min(this.height, count) - 1
    else if (letter === "H" || letter === "f") {
      this.y = Math.min(this.height, count) - 1
      this.x = Math.max(1, second) - 1
    } else if (letter === "K")
      this.rows[this.y] = first === 0 ? row.slice(0, this.x) : first === 2 ? [] : row.fill(" ", 0, this.x + 1)
    else if (letter === "J") {
      this.rows =
        first === 0
          ? this.rows.map((one, at) => (at < this.y ? one : at === this.y ? row.slice(0, this.x) : []))
          : this.blank()
    } else if (letter === "X") for (let at = this.x; at < Math.min(this.x + count, row.length); at++) row[at] = " "
    else if (letter === "P") row.splice(this.x, count)
    else if (letter === "M")
      this.rows = [...this.rows.toSpliced(this.y, count), ...Array.from({ length: count }, () => [])].slice(
        0,
        this.height
      )
    else if (letter === "L")
      this.rows = this.rows.toSpliced(this.y, 0, ...Array.from({ length: count }, () => [])).slice(0, this.height)
  }
}

/** A control sequence's parameters and letter. */
const control = /^\[([0-?]*)[ -/]*([@-~])/

/** How long a sequence is, without the escape before it; undefined as long as its end has not come. */
const lengthOf = (after: string): number | undefined => {
  const first = after[0]
  if (first === undefined) return undefined
  if (first === "[") return control.exec(after)?.[0].length
  // A text for the terminal's title or clipboard: it ends with a bell, or with an escape and a backslash.
  if ("]P_^X".includes(first)) {
    const ends = ["\u0007", "\u001b\\"].map((end) => ({ at: after.indexOf(end), length: end.length }))
    const [end] = ends.filter(({ at }) => at !== -1).toSorted((one, other) => one.at - other.at)
    return end === undefined ? undefined : end.at + end.length
  }
  return /^[ -/]*[0-~]/.exec(after)?.[0].length
}
