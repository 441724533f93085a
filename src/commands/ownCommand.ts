/** The command that runs this program again with `args`: for a compiled binary, its own path is enough. */
export const ownCommand = (args: ReadonlyArray<string>): [string, ...Array<string>] => {
  const program = Bun.main.startsWith("/$bunfs/")
    ? []
    : [...process.execArgv.filter(isKept), ...process.argv.slice(1, 2)]
  return [process.execPath, ...program, ...args]
}

/** `--cwd` took effect at the start and must not be applied twice. */
const isKept = (flag: string, at: number, all: ReadonlyArray<string>) =>
  flag !== "--cwd" && all[at - 1] !== "--cwd" && !flag.startsWith("--cwd=")
