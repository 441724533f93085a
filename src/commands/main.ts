import { version } from "../../package.json"
import { boldOn, laidOut } from "./frame/page.ts"
import { rootPage } from "./frame/pages.ts"

/** True if these arguments start a gateway. */
export const serves = ([command]: ReadonlyArray<string>): boolean => command === undefined || command === "serve"

/** Runs the command line until the command ends or a signal stops it. Files it creates are private (umask 077). */
export const main = async (args: ReadonlyArray<string>): Promise<void> => {
  process.umask(0o077)
  const [command, ...rest] = args
  // `version` and `help` load nothing else.
  if (command === "version" || command === "--version") return print(version)
  if (isHelp(command) && rest.length === 0) return print(laidOut(rootPage(), boldOn(process.stdout)))
  if (serves(args) && rest.length === 0) {
    const { serveNow } = await import("./serveNow.ts")
    return serveNow()
  }
  const { run } = await import("./run.ts")
  run(isHelp(command) ? [...rest, "--help"] : args)
}

const isHelp = (command: string | undefined) => command === "help" || command === "--help" || command === "-h"

const print = (text: string) => void process.stdout.write(`${text}\n`)
