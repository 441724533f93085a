import { join } from "node:path"
import type { GatewayProcess } from "../../e2e/process.ts"

const asked = 300

/** How long others wait for a short answer, in ms, the shortest first. */
const othersWait = async ({ key, url }: GatewayProcess): Promise<ReadonlyArray<number>> => {
  const body = JSON.stringify({ model: "sandbox-text", max_tokens: 10, messages: "Hi" })
  const waits: Array<number> = []
  for (let i = 0; i < asked; i++) {
    const begun = performance.now()
    await (
      await fetch(`${url}/v1/messages`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body })
    ).text()
    waits.push(performance.now() - begun)
  }
  return waits.toSorted((a, b) => a - b)
}

/** Readers of long streams, as fast as they can be read or paused after their first piece; answers how they end. */
const startReaders = async ({ key, url }: GatewayProcess, count: number, isPaused: boolean) => {
  const command = [process.execPath, join(import.meta.dirname, "reader.ts"), url, key, String(count)]
  const readers = Bun.spawn(isPaused ? [...command, "paused"] : command, { stdout: "pipe", stderr: "inherit" })
  for await (const _ of readers.stdout) break
  return async () => {
    readers.kill("SIGKILL")
    await readers.exited
    // What they left behind has ended.
    await Bun.sleep(500)
  }
}

const at = (waits: ReadonlyArray<number>, share: number) => waits[Math.floor(waits.length * share)] ?? Infinity

/** The longest waits but for one in a hundred, and those in the middle. */
export interface Waits {
  readonly aloneMs: number
  readonly besideStreamsMs: number
  readonly besidePausedMs: number
  readonly medianAloneMs: number
  readonly medianBesideStreamsMs: number
  readonly medianBesidePausedMs: number
}

/** How long others wait alone, beside ten readers of long streams, and beside twenty that have stopped to read theirs. */
export const besideStreams = async (gateway: GatewayProcess): Promise<Waits> => {
  const beside = async (readers: number, isPaused: boolean) => {
    const end = await startReaders(gateway, readers, isPaused)
    const waited = await othersWait(gateway)
    await end()
    return waited
  }
  await othersWait(gateway)
  const alone = await othersWait(gateway)
  const streams = await beside(10, false)
  const paused = await beside(20, true)
  return {
    aloneMs: at(alone, 0.99),
    besideStreamsMs: at(streams, 0.99),
    besidePausedMs: at(paused, 0.99),
    medianAloneMs: at(alone, 0.5),
    medianBesideStreamsMs: at(streams, 0.5),
    medianBesidePausedMs: at(paused, 0.5)
  }
}
