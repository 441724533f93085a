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

/** Runs the named command or prints its help; fails if there is no such command. */
const dispatch = (args: ReadonlyArray<string>, wantsHelp: boolean) =>
  Effect.gen(function* () {
    const [name = "", ...rest] = args
    const entry = entries.find((entry) => entry.name === name || entry.word === name)
    if (entry === undefined) {
      return yield* unknown("gateway", name, [...entries.map(({ name }) => name), "help", "version"], rootPage())
    }
    const command = yield* Effect.promise(entry.load)
    if (!("commands" in command)) {
      return yield* wantsHelp ? show(leafPage(entry.name, command)) : run(entry.name, command, rest)
    }
    const [second, ...others] = rest
    if (second === undefined) return yield* show(groupPage(entry, command))
    const leaf = command.commands.find((leaf) => leaf.name === second)
    if (leaf === undefined) return yield* unknownIn(entry, command, second)
    const path = `${entry.name} ${second}`
    return yield* wantsHelp ? show(leafPage(path, leaf)) : run(path, leaf, others)
  })

const show = (page: HelpPage) => Console.log(laidOut(page, boldOn(process.stdout)))

/** A `ValidationError`, for the exit code; the message is already printed. */
const failed = (message: string) => Effect.fail(ValidationError.invalidArgument(HelpDoc.p(message)))

const unknownIn = (entry: Entry, group: Group, given: string) =>
  unknown(
    `gateway ${group.name}`,
    given,
    group.commands.map(({ name }) => name),
    groupPage(entry, group)
  )

const unknown = (path: string, given: string, names: ReadonlyArray<string>, page: HelpPage) => {
  const similar = nearest(given, names)
  const message = `${path}: there is no command "${given}"${similar === undefined ? "" : `; \`${path} ${similar}\`?`}`
  // Last, where it is seen when the page is longer than the terminal.
  return Effect.zipRight(Console.error(`${laidOut(page, boldOn(process.stderr))}\n\n${message}`), failed(message))
}

/** Runs a command; errors in its arguments are printed with its usage. */
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

/** The command line. Errors go to standard error and set the exit code (`exitCodes`). */
export const launch = (args: ReadonlyArray<string>) => {
  const [first, ...rest] = args
  if (first === "complete") return complete(rest)
  if (first === "--completions") return dispatch(["completion", ...rest], false)
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  const wantsHelp = own.includes("--help") || own.includes("-h")
  return wantsHelp
    ? dispatch(
        own.filter((arg) => arg !== "--help" && arg !== "-h"),
        true
      )
    : dispatch(args, false)
}
