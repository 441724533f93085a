/** How this program is begun once more, with these arguments. A compiled binary's arguments name itself twice. */
export const ownCommand = (args: ReadonlyArray<string>): [string, ...Array<string>] => {
  const program = Bun.main.startsWith("/$bunfs/") ? [] : process.argv.slice(1, 2)
  return [process.execPath, ...process.execArgv, ...program, ...args]
}
