import { CliConfig, CommandDescriptor, CommandDirective, HelpDoc, ValidationError } from "@effect/cli"
import type { CliApp, Command } from "@effect/cli"
import { Effect } from "effect"
import { Elsewhere } from "../administering.ts"
import { readHelp } from "./readHelp.ts"
import type { Described } from "./readHelp.ts"

/** A command that does something. */
export interface Leaf {
  readonly name: string
  readonly described: () => Described
  /** Runs it with the words behind its name; fails with a `ValidationError` where they are not for it. */
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<void, unknown, CliApp.CliApp.Environment>
  /** Whether it works on a gateway elsewhere too. */
  readonly isRemote: boolean
}

/** Commands under one name. */
export interface Group {
  readonly name: string
  readonly commands: ReadonlyArray<Leaf>
}

const config = CliConfig.make({ showBuiltIns: false })

/** A command of the library as one of ours, without what the library adds to each. */
export const leaf = <Name extends string, E, A>(
  command: Command.Command<Name, CliApp.CliApp.Environment, E, A>,
  options: { readonly isRemote: boolean } = { isRemote: false }
): Leaf => {
  const [name = ""] = CommandDescriptor.getNames(command.descriptor)
  const described = () => readHelp(CommandDescriptor.getHelp(command.descriptor, config))
  const run = (given: ReadonlyArray<string>) => {
    const { args, url } = options.isRemote ? withoutUrl(given) : { args: given, url: undefined }
    const running = runHere(args)
    return url === undefined ? running : Effect.provideService(running, Elsewhere, url)
  }
  const runHere = (args: ReadonlyArray<string>) => {
    const stranger = strangerIn(args, described())
    if (stranger !== undefined) return unexpected(stranger)
    return Effect.flatMap(
      CommandDescriptor.parse(command.descriptor, [name, ...args], config),
      (directive): Effect.Effect<void, E | ValidationError.ValidationError, CliApp.CliApp.Environment> => {
        if (CommandDirective.isBuiltIn(directive)) return unexpected(args.find((arg) => arg.startsWith("-")) ?? "")
        const [extra] = directive.leftover
        if (extra !== undefined) return unexpected(extra)
        return command.transform(command.handler(directive.value), directive.value)
      }
    )
  }
  return { ...options, name, run, described }
}

/** One that works on a gateway elsewhere too. */
export const remoteLeaf = <Name extends string, E, A>(
  command: Command.Command<Name, CliApp.CliApp.Environment, E, A>
): Leaf => leaf(command, { isRemote: true })

/** `--url` may stand anywhere before `--`. */
const withoutUrl = (args: ReadonlyArray<string>) => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const at = args.findIndex((arg, index) => index < end && (arg === "--url" || arg.startsWith("--url=")))
  const found = args[at]
  if (found === undefined) return { args, url: undefined }
  return found === "--url"
    ? { args: [...args.slice(0, at), ...args.slice(at + 2)], url: args[at + 1] ?? "-" }
    : { args: [...args.slice(0, at), ...args.slice(at + 1)], url: found.slice("--url=".length) }
}

/** The first option that the command does not have: the library would take it for an argument. */
const strangerIn = (args: ReadonlyArray<string>, { options }: Described): string | undefined => {
  const known = new Map(options.map(([written]) => [written.split(" ")[0], written.includes(" ")]))
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") return undefined
    if (!arg.startsWith("--")) continue
    const [name = ""] = arg.split("=")
    const takesValue = known.get(name)
    if (takesValue === undefined) return name
    if (takesValue && !arg.includes("=")) at++
  }
  return undefined
}

const unexpected = (arg: string) =>
  Effect.fail(
    ValidationError.invalidValue(
      HelpDoc.p(arg.startsWith("-") ? `there is no option ${arg}` : `"${arg}" is one word too many`)
    )
  )
