import { expect, it } from "@effect/vitest"
import { chapters } from "../../src/commands/frame/catalogue.ts"
import { documents, read } from "./documents.ts"

/** `gateway keys update key_… --no-budget`, in code spans and at the start of a line of a block. */
const mentionsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:`|^ *)(gateway [a-z][^`\n]*)/gm)].map(([, command = ""]) =>
    command.replace(/ +#.*$/, "").trim()
  )

const always = ["--help", "--version", "--url", "--json"]

/** The options of a command as its help has them; undefined where there is no such command. */
const optionsOf = async (words: ReadonlyArray<string>): Promise<ReadonlyArray<string> | undefined> => {
  const [first = "", second = ""] = words
  const entry = chapters.flatMap(({ entries }) => entries).find(({ name }) => name === first)
  if (entry === undefined) return ["help", "version"].includes(first) ? [] : undefined
  const loaded = await entry.load()
  if (!("commands" in loaded)) return loaded.described().options.map(([option]) => option)
  if (second === "" || second.startsWith("-")) return []
  return loaded.commands
    .find(({ name }) => name === second)
    ?.described()
    .options.map(([option]) => option)
}

it.each(documents)("%s: its commands are the program's, with options that they have", async (page) => {
  const wrong: Array<string> = []
  for (const mention of mentionsIn(await read(page))) {
    // `accounts credit|set`: both.
    const words = mention.split(" ").slice(1)
    for (const second of (words[1] ?? "").split("|")) {
      const options = await optionsOf([words[0] ?? "", second])
      const unknown = words.filter(
        (word) =>
          word.startsWith("--") &&
          !always.includes(word) &&
          !(options ?? []).some((option) => option.split(/[ ,]+/).includes(word))
      )
      if (options === undefined || unknown.length > 0) wrong.push(mention)
    }
  }
  expect(wrong).toEqual([])
})

it("what is no command, and no option, is seen", async () => {
  expect(mentionsIn("`gateway keys nope` and\n  gateway usage --by model  # so\n")).toEqual([
    "gateway keys nope",
    "gateway usage --by model"
  ])
  expect(await optionsOf(["keys", "nope"])).toBeUndefined()
  expect(await optionsOf(["keys", "create"])).toContainEqual(expect.stringContaining("--account"))
})
