import { CliConfig, CommandDescriptor, CommandDirective, HelpDoc, ValidationError } from "@effect/cli"
import type { CliApp, Command } from "@effect/cli"
import { Effect } from "effect"
import { RemoteUrl } from "../administer.ts"
import { readHelp } from "./readHelp.ts"
import { nearest } from "./nearest.ts"
import type { Described } from "./readHelp.ts"

/** A command without subcommands. */
export interface Leaf {
  readonly name: string
  readonly described: () => Described
  /** Runs it with the arguments after its name; fails with a `ValidationError` if they are wrong. */
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<void, unknown, CliApp.CliApp.Environment>
  /** True if it also works on a remote gateway (`--url`). */
  readonly isRemote: boolean
}

/** A command with subcommands. */
export interface Group {
  readonly name: string
  readonly commands: ReadonlyArray<Leaf>
}

const config = CliConfig.make({ showBuiltIns: false })

/** Wraps a command of `@effect/cli`, without the library's built-in options. */
export const leaf = <Name extends string, E, A>(
  command: Command.Command<Name, CliApp.CliApp.Environment, E, A>,
  options: { readonly isRemote: boolean } = { isRemote: false }
): Leaf => {
  const [name = ""] = CommandDescriptor.getNames(command.descriptor)
  const described = () => readHelp(CommandDescriptor.getHelp(command.descriptor, config))
  const run = (given: ReadonlyArray<string>) => {
    const { args, url } = options.isRemote ? withoutUrl(given) : { args: given, url: undefined }
    const running = runHere(args)
    return url === undefined ? running : Effect.provideService(running, RemoteUrl, url)
  }
  const runHere = (given: ReadonlyArray<string>) => {
    const args = withInputLast(given)
    const unknown = unknownOption(args, described())
    if (unknown !== undefined) return unexpected(unknown, nearest(unknown, optionsOf(described())))
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

/** The library takes options after a `-`, which stands for standard input, for arguments. */
const withInputLast = (args: ReadonlyArray<string>) => (args[0] === "-" ? [...args.slice(1), "-"] : args)

/** A command that also works on a remote gateway. */
export const remoteLeaf = <Name extends string, E, A>(
  command: Command.Command<Name, CliApp.CliApp.Environment, E, A>
): Leaf => leaf(command, { isRemote: true })

/** Removes `--url` and its value, anywhere before `--`. */
const withoutUrl = (args: ReadonlyArray<string>) => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const at = args.findIndex((arg, index) => index < end && (arg === "--url" || arg.startsWith("--url=")))
  const flag = args[at]
  if (flag === undefined) return { args, url: undefined }
  return flag === "--url"
    ? { args: [...args.slice(0, at), ...args.slice(at + 2)], url: args[at + 1] ?? "-" }
    : { args: [...args.slice(0, at), ...args.slice(at + 1)], url: flag.slice("--url=".length) }
}

/** The first unknown option: the library would take it for an argument. */
const unknownOption = (args: ReadonlyArray<string>, { options }: Described): string | undefined => {
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

const optionsOf = ({ options }: Described): ReadonlyArray<string> =>
  options.map(([written]) => written.split(" ")[0] ?? "")

/** @param similar the option that was probably meant */
const unexpected = (arg: string, similar?: string) =>
  Effect.fail(
    ValidationError.invalidValue(
      HelpDoc.p(
        !arg.startsWith("-")
          ? `"${arg}" is one argument too many`
          : `there is no option ${arg}${similar === undefined ? "" : `; \`${similar}\`?`}`
      )
    )
  )
