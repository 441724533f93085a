/** How this program is begun once more, with these arguments. A compiled binary takes every one of them as its user's. */
export const ownCommand = (args: ReadonlyArray<string>): [string, ...Array<string>] => {
  const program = Bun.main.startsWith("/$bunfs/")
    ? []
    : [...process.execArgv.filter(isToStay), ...process.argv.slice(1, 2)]
  return [process.execPath, ...program, ...args]
}

/** Where the process went at its start it is already. */
const isToStay = (flag: string, at: number, all: ReadonlyArray<string>) =>
  flag !== "--cwd" && all[at - 1] !== "--cwd" && !flag.startsWith("--cwd=")
