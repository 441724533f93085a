const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
const asked = ["SIGHUP", "SIGINT", "SIGTERM"] as const

/**
 * Runs a command in a process group of its own. A signal that ends this process ends the whole group first: what the
 * command started would be left behind otherwise, gateways and databases.
 *
 * @param options `graceMs`: how long the group has to end by itself
 * @returns the command's exit code
 */
export const runGroup = async (
  command: ReadonlyArray<string>,
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly graceMs?: number } = {}
): Promise<number> => {
  const { env = process.env, graceMs = 5_000 } = options
  let ending: Promise<never> | undefined
  const end = async (name: (typeof asked)[number]) => {
    const until = performance.now() + graceMs
    signal(child.pid, "SIGTERM")
    while (performance.now() < until && signal(child.pid, 0)) await Bun.sleep(20)
    signal(child.pid, "SIGKILL")
    return process.exit(codes[name])
  }
  const onSignal = (name: (typeof asked)[number]) => void (ending ??= end(name))
  // Before the command begins: a signal that comes right then must not end this process alone.
  for (const name of asked) process.on(name, onSignal)
  const child = Bun.spawn([...command], { stdio: ["inherit", "inherit", "inherit"], detached: true, env })
  const code = await child.exited
  // The command may end at once, but what it started has the whole grace.
  if (ending !== undefined) return ending
  for (const name of asked) process.off(name, onSignal)
  return code
}

/** @returns whether the group has a process left */
const signal = (group: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}
