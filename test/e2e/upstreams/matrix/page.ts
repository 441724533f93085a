import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { families } from "../callers.ts"
import type { Family } from "../callers.ts"
import type { FakeName } from "../../../upstreams/fakes/fakeUpstream.ts"

const file = join(import.meta.dirname, "../../../../docs/compatibility.md")

/** Outcomes by family, protocol, mode and wish. */
export class Results {
  readonly #outcomes = new Map<string, string>()
  readonly #protocols: ReadonlyArray<FakeName>

  constructor(protocols: ReadonlyArray<FakeName>) {
    this.#protocols = protocols
  }

  set(family: Family, protocol: FakeName, name: string, stream: boolean, outcome: string): void {
    this.#outcomes.set([family, protocol, name, stream].join(), outcome)
  }

  get size(): number {
    return this.#outcomes.size
  }

  /** A table a family; whole and streamed share a cell where they are alike. */
  tables(names: ReadonlyArray<string>): string {
    const protocols = this.#protocols
    return families
      .map((family) => {
        const row = (name: string) => protocols.map((protocol) => this.#cell(family, protocol, name)).join(" | ")
        return [
          `**\`/v1/${family === "chat" ? "chat/completions" : family}\`**`,
          "",
          `| | ${protocols.map((protocol) => `\`${protocol}\``).join(" | ")} |`,
          `|---|${protocols.map(() => "---|").join("")}`,
          ...names.filter((name) => this.#isAsked(family, name)).map((name) => `| ${name} | ${row(name)} |`)
        ].join("\n")
      })
      .join("\n\n")
  }

  /** False if no protocol has an outcome for the wish: it gets no row. */
  #isAsked(family: Family, name: string): boolean {
    return this.#protocols.some((protocol) => this.#cell(family, protocol, name) !== "–")
  }

  #cell(family: Family, protocol: FakeName, name: string): string {
    const [whole = "?", streamed = "?"] = [false, true].map((stream) =>
      this.#outcomes.get([family, protocol, name, stream].join())
    )
    return whole === streamed ? whole : `${whole}; streamed ${streamed}`
  }
}

const marks = (section: string) =>
  [`<!-- ${section}: written by \`bun run test:long compatibility ${section}\` -->`, `<!-- /${section} -->`] as const

/** The text of a section of the page. */
export const sectionOf = (section: string): string => {
  const { from, page, until } = placeOf(section)
  return page.slice(from, until).trim()
}

export const writeSection = (section: string, text: string): void => {
  const { from, page, until } = placeOf(section)
  writeFileSync(file, `${page.slice(0, from)}\n${text}\n${page.slice(until)}`)
}

const placeOf = (section: string) => {
  const page = readFileSync(file, "utf8")
  const [begin, end] = marks(section)
  const from = page.indexOf(begin) + begin.length
  const until = page.indexOf(end)
  if (from < begin.length || until < from) throw new Error(`docs/compatibility.md has no place for ${section}`)
  return { page, from, until }
}
