import { load } from "../load.ts"
import { byTurns } from "../rounds.ts"
import type { Row } from "../Row.ts"
import { pace } from "../setting.ts"
import type { Setting } from "../setting.ts"

const body = (model: string) =>
  JSON.stringify({ model, max_tokens: 1000, messages: [{ role: "user", content: "Say something of this length." }] })

/** P1 and P2: synchronous answers passed through, against a proxy that parses and serialises, and against Portkey. */
export const syncRows = async (setting: Setting): Promise<ReadonlyArray<Row>> => {
  const { gateway, headers, portkey, proxy, reached, upstream } = setting
  const rows: Array<Row> = []
  const measure = (url: string, model: string, connections: number, seconds: number, extra = headers) =>
    load({ url, body: body(model), headers: extra, connections, seconds })
  const portkeyHeaders = {
    "content-type": "application/json",
    "x-api-key": "upstream-key",
    "x-portkey-provider": "anthropic",
    "x-portkey-custom-host": `${upstream.url}/v1`,
    "anthropic-version": "2023-06-01"
  }

  // Once for all three, whose code is the same: what the engine compiles in the first ten seconds is not all.
  await measure(`${gateway.url}/v1/messages`, "json-200", 32, pace.warm * 2)
  for (const model of ["json-200", "json-2000", "json-20000"]) {
    await measure(`${proxy.url}/v1/messages`, model, 32, 1)
    await measure(`${gateway.url}/v1/messages`, model, 32, 1)
    const rounds = await byTurns({
      gateway: () => measure(`${gateway.url}/v1/messages`, model, 32, pace.seconds),
      proxy: () => measure(`${proxy.url}/v1/messages`, model, 32, pace.seconds)
    })
    rows.push({
      promise: "P1",
      what: `passthrough of ${model.slice(5)} bytes, 32 connections`,
      gateway: rounds.of.gateway.perSecond,
      ceiling: rounds.of.proxy.perSecond,
      unit: "req/s",
      ...rounds.compared("gateway", "proxy", "perSecond"),
      floor: 0.55,
      // Longer ones hold.
      ...(model !== "json-20000" && { reached: reached({ usual: 0.4, quickKernel: 0.27 }) }),
      errors: rounds.of.gateway.errors + rounds.of.proxy.errors
    })
    if (model !== "json-2000") continue
    const alone = await measure(`${upstream.url}/v1/messages`, model, 32, pace.seconds)
    rows.push({
      promise: "P1",
      what: "the upstream alone, to show that it is not the bottleneck",
      gateway: alone.perSecond,
      ceiling: undefined,
      unit: "req/s",
      compared: alone.perSecond / rounds.of.gateway.perSecond,
      errors: alone.errors
    })
    if (portkey === undefined) continue
    await measure(`${portkey.url}/v1/messages`, model, 32, pace.warm, portkeyHeaders)
    const other = await byTurns({
      gateway: () => measure(`${gateway.url}/v1/messages`, model, 32, pace.seconds),
      portkey: () => measure(`${portkey.url}/v1/messages`, model, 32, pace.seconds, portkeyHeaders)
    })
    rows.push({
      promise: "P1",
      what: "the same against Portkey's gateway on Node",
      gateway: other.of.gateway.perSecond,
      ceiling: other.of.portkey.perSecond,
      unit: "req/s",
      ...other.compared("gateway", "portkey", "perSecond"),
      floor: 15,
      reached: 8,
      errors: other.of.gateway.errors + other.of.portkey.errors
    })
  }

  const [path, name] = ["/v1/chat/completions", "json-2000-chat"]
  await measure(proxy.url + path, "json-2000", 32, 1)
  await measure(gateway.url + path, name, 32, pace.warm)
  const families = await byTurns({
    chat: () => measure(gateway.url + path, name, 32, pace.seconds),
    messages: () => measure(`${gateway.url}/v1/messages`, "json-2000", 32, pace.seconds),
    proxy: () => measure(proxy.url + path, "json-2000", 32, pace.seconds)
  })
  const chat = { promise: "P1", gateway: families.of.chat.perSecond, unit: "req/s" }
  rows.push(
    {
      ...chat,
      what: "passthrough of 2000 bytes of chat completions, 32 connections",
      ceiling: families.of.proxy.perSecond,
      ...families.compared("chat", "proxy", "perSecond"),
      floor: 0.55,
      reached: reached({ usual: 0.35, quickKernel: 0.27 }),
      errors: families.of.chat.errors + families.of.proxy.errors
    },
    {
      ...chat,
      what: "the same against passed-through messages",
      ceiling: families.of.messages.perSecond,
      ...families.compared("chat", "messages", "perSecond"),
      floor: 0.9,
      errors: families.of.chat.errors + families.of.messages.errors
    }
  )

  // Before so much is stored that the disk goes on writing for a while.
  const one = await byTurns({
    gateway: () => measure(`${gateway.url}/v1/messages`, "json-2000", 1, pace.seconds),
    proxy: () => measure(`${proxy.url}/v1/messages`, "json-2000", 1, pace.seconds)
  })
  for (const [percentile, most, usual, quickKernel] of [
    ["p50", 1.4, 3.2, 3.8],
    ["p99", 2, 5, 7]
  ] as const) {
    rows.push({
      promise: "P2",
      what: `latency at one connection, ${percentile}`,
      gateway: one.of.gateway[percentile],
      ceiling: one.of.proxy[percentile],
      unit: "ms",
      ...one.compared("gateway", "proxy", percentile),
      most,
      reached: reached({ usual, quickKernel }),
      errors: one.of.gateway.errors + one.of.proxy.errors
    })
  }

  const response = (store: boolean, seconds = pace.seconds) =>
    load({
      url: `${gateway.url}/v1/responses`,
      body: JSON.stringify({ model: "json-2000-response", store, input: "Say something of this length." }),
      headers,
      connections: 32,
      seconds
    })
  await response(true, pace.warm)
  await response(false, pace.warm)
  const kept = await byTurns({ stored: () => response(true), unstored: () => response(false) })
  rows.push({
    promise: "P1",
    what: "a response that is stored takes as long as so many that are not",
    gateway: kept.of.stored.perSecond,
    ceiling: kept.of.unstored.perSecond,
    unit: "req/s",
    ...kept.compared("unstored", "stored", "perSecond"),
    most: 1.3,
    reached: 2.6,
    errors: kept.of.stored.errors + kept.of.unstored.errors
  })

  return rows
}
