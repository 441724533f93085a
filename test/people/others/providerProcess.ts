/** A provider's process, which listens once it answers for its metadata. */
export const providerProcess = async (
  issuer: string,
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) => {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdout: "ignore",
    stderr: "ignore"
  })
  const metadata = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const answers = () =>
    fetch(metadata, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false
    )
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${command.join(" ")} exited with ${child.exitCode}`)
    await Bun.sleep(50)
  }
  return {
    issuer,
    /** It takes connections and says nothing. */
    hang: () => child.kill("SIGSTOP"),
    goOn: () => child.kill("SIGCONT"),
    stop: async () => {
      child.kill("SIGKILL")
      await child.exited
    }
  }
}
