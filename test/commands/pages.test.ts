import { describe, expect, it } from "vitest"
import { chapters } from "../../src/commands/frame/catalogue.ts"
import { nearest } from "../../src/commands/frame/nearest.ts"
import { laidOut } from "../../src/commands/frame/page.ts"
import { groupPage, leafPage, rootPage } from "../../src/commands/frame/pages.ts"

const entries = chapters.flatMap((chapter) => chapter.entries)
const loaded = await Promise.all(entries.map(async (entry) => [entry, await entry.load()] as const))

const plain = (title: string) => title

const pages = [
  ["gateway", rootPage()] as const,
  ...loaded.flatMap(([entry, found]) =>
    "commands" in found
      ? [
          [`gateway ${entry.name}`, groupPage(entry, found)] as const,
          ...found.commands.map(
            (leaf) => [`gateway ${entry.name} ${leaf.name}`, leafPage(`${entry.name} ${leaf.name}`, leaf)] as const
          )
        ]
      : [[`gateway ${entry.name}`, leafPage(entry.name, found)] as const]
  )
]

describe.each(pages)("the help of %s", (path, page) => {
  it("fits into eighty columns", () => {
    const lines = laidOut(page, plain).split("\n")
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([])
  })

  it("has one line for a command", () => {
    const commands = page.sections.filter(({ title }) => title !== "Options" && title !== "Arguments")
    const lines = laidOut({ ...page, sections: commands }, plain).split("\n")
    for (const [name, about] of commands.flatMap(({ rows }) => rows)) {
      expect(lines.filter((line) => line.startsWith(`  ${name} `) && line.endsWith(about))).toHaveLength(1)
    }
  })

  it("explains everything it names, and its examples are of it", () => {
    for (const { rows } of page.sections) expect(rows.filter(([, about]) => about === "")).toEqual([])
    expect(page.what.join(" ")).toMatch(/[.]$/)
    for (const example of page.examples) expect(example).toContain(path)
  })
})

describe("a page", () => {
  const page = {
    what: ["What it does."],
    usage: ["gateway it [OPTIONS]"],
    sections: [{ title: "Options", rows: [["--name NAME", "word ".repeat(20).trim()]] as const }],
    examples: [`gateway it --one ${"x".repeat(40)} --two ${"y".repeat(40)}`]
  }

  it("breaks lines where the shell takes them back together", () => {
    const text = laidOut(page, plain)
    const example = text.slice(text.indexOf("Examples:") + "Examples:".length)
    expect(example.replaceAll("\\\n", "").split(/\s+/).filter(Boolean).join(" ")).toBe(page.examples[0])
    expect(text).toContain(`  --name NAME  word word`)
  })

  it("has bold titles and nothing else in colour", () => {
    const bold = laidOut(page, (title) => `<${title}>`)
    expect(bold.replaceAll(/<([^>]*)>/g, "$1")).toBe(laidOut(page, plain))
    expect(bold).toContain("<Usage:> gateway it [OPTIONS]")
  })
})

describe("a word that is no command", () => {
  it.each([
    ["kesy", "keys"],
    ["req", "requests"],
    ["acounts", "accounts"],
    ["x", undefined],
    ["zebra", undefined]
  ])("%s is probably %s", (given, meant) => {
    expect(
      nearest(
        given,
        entries.map(({ name }) => name)
      )
    ).toBe(meant)
  })
})
