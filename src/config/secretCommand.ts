import { Effect } from "effect"
import { mostOfSecret } from "../flow/RegularFiles.ts"
import { secretVariables } from "./secretVariables.ts"

/** A program that prints a secret, such as a secret manager's: `["vault", "kv", "get", …]`. No shell reads it. */
export type SecretCommand = ReadonlyArray<string>

/** The most time that a program may take. People are not there to unlock anything. */
const mostMs = 30_000

/**
 * Runs a program and gives what it prints, without trailing blanks and line breaks; or a message with its name alone, since
 * its arguments and its words may hold secrets. It gets the gateway's environment, without the gateway's own secrets.
 */
export const runCommand = (command: SecretCommand, folder: string): Effect.Effect<string, string> => {
  const refuse = (why: string) => Effect.fail(`the command ${programOf(command)} ${why}`)
  return Effect.tryPromise({
    try: (signal) => printedBy(command, folder, signal),
    catch: (cause) =>
      cause instanceof Refused
        ? cause.message
        : /\s/.test(command[0] ?? "")
          ? "can't be started: its arguments are entries of their own, as in [vault, kv, get, …]"
          : "can't be started"
  }).pipe(
    Effect.timeoutFail({ duration: mostMs, onTimeout: () => `did not end within ${mostMs / 1_000} s` }),
    Effect.catchAll(refuse),
    Effect.flatMap((text) => (text === "" ? refuse("printed nothing") : Effect.succeed(text)))
  )
}

/** Its name for messages. Blanks in it are arguments that were written into one text. */
export const programOf = ([program = ""]: SecretCommand): string => program.trim().split(/\s/)[0] ?? ""

class Refused extends Error {}

const printedBy = async ([...command]: SecretCommand, folder: string, signal: AbortSignal): Promise<string> => {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: ownEnvironment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    // A group of its own, which is killed as a whole: a script's children would go on without it.
    detached: true
  })
  const output = child.stdout.getReader()
  const stop = () => {
    killGroup(child.pid)
    child.kill("SIGKILL")
    void output.cancel()
  }
  signal.addEventListener("abort", stop)
  let isGood = false
  try {
    const pieces: Array<Uint8Array> = []
    let bytes = 0
    for (let read = await output.read(); !read.done; read = await output.read()) {
      bytes += read.value.length
      if (bytes > mostOfSecret) throw new Refused(`printed more than ${mostOfSecret} bytes`)
      pieces.push(read.value)
    }
    const code = await child.exited
    if (code !== 0) throw new Refused(`ended with ${child.signalCode ?? `exit code ${code}`}`)
    isGood = true
    return Buffer.concat(pieces).toString().trimEnd()
  } finally {
    signal.removeEventListener("abort", stop)
    // An agent that a good one leaves behind is its own affair.
    if (!isGood) stop()
  }
}

/** Windows has no groups. */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // Nothing of it is left.
  }
}

const ownEnvironment = () => {
  const own = new Set<string>(secretVariables)
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name)))
}
