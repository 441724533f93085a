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
      const found = sequence.exec(text.slice(at, at + 4096))
      if (found === null) {
        this.rest = text.slice(at)
        return
      }
      at += found[0].length
      if (found[2] !== undefined) this.control(found[2], found[1] ?? "")
      else if (found[0] === "\u001b7") this.kept = { x: this.x, y: this.y }
      else if (found[0] === "\u001b8") ({ x: this.x, y: this.y } = this.kept)
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

/** A control sequence with its parameters and letter, a string for the terminal's title or clipboard, or a short one. */
const sequence =
  /^\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-OQ-WYZ\\`-~=>])/
