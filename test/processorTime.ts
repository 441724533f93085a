/** The processor time that synchronous work takes, in ms: what else the machine does meanwhile does not count. */
export const processorMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1_000
}
