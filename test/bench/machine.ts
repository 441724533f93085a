import { load } from "./load.ts"
import type { Measured } from "./load.ts"
import { startScript } from "./processes.ts"
import type { Started } from "./processes.ts"

/** What the bare proxy passes on in a second on the machine that the promises were given for (docs/performance.md). */
export const promisesPerSecond = 26_737

const body = JSON.stringify({ model: "json-2000", max_tokens: 1000, messages: [{ role: "user", content: "Say." }] })

/** What a bare proxy passes on. */
export const passedOn = async (proxy: Pick<Started, "url">, seconds: number): Promise<Measured> => {
  const measured = await load({ url: `${proxy.url}/v1/messages`, body, connections: 32, seconds })
  if (measured.errors > 0) throw new Error(`the bare proxy answered ${measured.errors} requests wrongly`)
  return measured
}

/**
 * How many times as slow this machine is at the moment as the one that the promises were given for, by what a bare proxy
 * passes on: for figures that are no ratios.
 */
export const slownessBy = async (proxy: Pick<Started, "url">): Promise<number> => {
  await passedOn(proxy, 1)
  return promisesPerSecond / (await passedOn(proxy, 3)).perSecond
}

/**
 * Below this slowness a machine has a quick kernel: most of what a bare proxy does is the kernel's, little of what the
 * gateway does. One and the same build (commit 197698b) passes on as much there as on the promises' machine, which is 0.51
 * of a bare proxy on that one and 0.31 there, so each kind of machine has floors of its own, a little below what is
 * reached on it.
 */
const quickBelow = 0.75

/** What was reached, by kind of machine. */
export interface Reached {
  readonly usual: number
  readonly quickKernel: number
}

/** Which of them counts on a machine that is so many times as slow. */
export const reachedOn =
  (slower: number) =>
  ({ quickKernel, usual }: Reached): number =>
    slower < quickBelow ? quickKernel : usual

/** The same slowness, where no proxy runs yet. */
export const slowness = async (): Promise<number> => {
  const upstream = await startScript("upstream.ts")
  const proxy = await startScript("proxy.ts", upstream.url)
  try {
    return await slownessBy(proxy)
  } finally {
    proxy.stop()
    upstream.stop()
  }
}

/** Says so beside a figure that is compared as if that machine had reached it. */
export const onMachine = (slower: number): string => `; this machine is ${slower.toFixed(2)} times as slow`
