import { isAbsolute, relative, sep } from "node:path"

/** How this process was started. */
interface Invocation {
  /** The file of the program, and the one that runs it. */
  readonly main: string
  readonly execPath: string
  readonly cwd: string
  /** `npm_command` of the environment: `exec` under npx. */
  readonly npmCommand: string | undefined
  readonly bunVersion: string
  /** The path of a command in the shell's own `PATH`; null if it has none. */
  readonly which: (command: string) => string | null
}

/** The words that run the gateway's other commands in the folder where this one runs: `gateway`, where that is a command. */
export const invokedAs = ({ bunVersion, cwd, execPath, main, npmCommand, which }: Invocation): string => {
  const near = (path: string) => {
    const short = relative(cwd, path)
    return short.startsWith("..") || isAbsolute(short) ? path : short
  }
  if (main.startsWith("/$bunfs/")) {
    if (which("gateway") === execPath) return "gateway"
    const path = near(execPath)
    return path.includes(sep) ? path : `.${sep}${path}`
  }
  // The package, whose command is `gateway` only where it is installed for all.
  if (/[\\/]dist[\\/]package[\\/]src[\\/]main\.js$/.test(main)) {
    return npmCommand === "exec" || which("gateway") === null ? "npx model-gateway" : "gateway"
  }
  // npx puts a Bun of its own in front of the PATH of this process, not of the shell.
  const bun = /[\\/]_npx[\\/]/.test(execPath) || which("bun") === null ? `npx -y bun@${bunVersion}` : "bun"
  return `${bun} ${near(main)}`
}

/** The same for this process. */
export const ownInvocation = (): string =>
  invokedAs({
    main: Bun.main,
    execPath: process.execPath,
    cwd: process.cwd(),
    npmCommand: process.env["npm_command"],
    bunVersion: Bun.version,
    which: (command) => Bun.which(command)
  })
