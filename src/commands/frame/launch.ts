import { HelpDoc, ValidationError } from "@effect/cli"
import { Console, Effect } from "effect"
import { reportErrors } from "../reportErrors.ts"
import { entries } from "./catalogue.ts"
import type { Entry } from "./Entry.ts"
import type { Group, Leaf } from "./leaf.ts"
import { nearest } from "./nearest.ts"
import { boldOn, laidOut } from "./page.ts"
import type { HelpPage } from "./page.ts"
import { groupPage, leafPage, rootPage, usageOf } from "./pages.ts"
import { plain } from "./readHelp.ts"

/** What is asked for: a command by its path, its page, or something that isn't there. */
const launched = (args: ReadonlyArray<string>, wantsHelp: boolean) =>
  Effect.gen(function* () {
    const [name = "", ...rest] = args
    const entry = entries.find((entry) => entry.name === name)
    if (entry === undefined) {
      return yield* unknown("gateway", name, [...entries.map(({ name }) => name), "help", "version"], rootPage())
    }
    const found = yield* Effect.promise(entry.load)
    if (!("commands" in found)) return yield* wantsHelp ? show(leafPage(name, found)) : run(name, found, rest)
    const [second, ...others] = rest
    if (second === undefined) return yield* show(groupPage(entry, found))
    const leaf = found.commands.find((leaf) => leaf.name === second)
    if (leaf === undefined) return yield* unknownIn(entry, found, second)
    const path = `${name} ${second}`
    return yield* wantsHelp ? show(leafPage(path, leaf)) : run(path, leaf, others)
  })

const show = (page: HelpPage) => Console.log(laidOut(page, boldOn(process.stdout)))

/** Told already; the exit code is all that is left to say. */
const failed = (message: string) => Effect.fail(ValidationError.invalidArgument(HelpDoc.p(message)))

const unknownIn = (entry: Entry, group: Group, given: string) =>
  unknown(
    `gateway ${group.name}`,
    given,
    group.commands.map(({ name }) => name),
    groupPage(entry, group)
  )

const unknown = (path: string, given: string, names: ReadonlyArray<string>, page: HelpPage) => {
  const meant = nearest(given, names)
  const message = `${path}: there is no command "${given}"${meant === undefined ? "" : `; \`${path} ${meant}\`?`}`
  return Effect.zipRight(Console.error(`${message}\n\n${laidOut(page, boldOn(process.stderr))}`), failed(message))
}

/** A word that is not for the command is told with how the command is used. */
const run = (path: string, leaf: Leaf, args: ReadonlyArray<string>) =>
  reportErrors(leaf.run(args), (error) => {
    if (!ValidationError.isValidationError(error)) return undefined
    const usage = `Usage: ${usageOf(path, leaf.described().args)}\n\`gateway help ${path}\` explains it.`
    return `${plain(error.error).replaceAll(/\s+/g, " ")}\n${usage}`
  })

const complete = (words: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("../completion.ts")),
    ({ completeOf }) => completeOf(entries)(words)
  )

/** The command line. What goes wrong is said on standard error, and the exit code tells its kind (`exitCodes`). */
export const launch = (args: ReadonlyArray<string>) => {
  const [first, ...rest] = args
  if (first === "complete") return complete(rest)
  if (first === "--completions") return launched(["completion", ...rest], false)
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  const wantsHelp = own.includes("--help") || own.includes("-h")
  return wantsHelp
    ? launched(
        own.filter((arg) => arg !== "--help" && arg !== "-h"),
        true
      )
    : launched(args, false)
}
