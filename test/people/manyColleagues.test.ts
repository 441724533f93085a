import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser } from "../console/browser.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { deviceGrant } from "./programs/world.ts"
import { request } from "../request.ts"
import { startProvider } from "./startProvider.ts"
import { Visitor } from "./visitor.ts"

/* A company behind one address, with a stranger among them who guesses admin keys from there all the time. */
const adminKey = "admin-key-0123456789abcdefghijklmnop"
const address = "203.0.113.9"
const headers = { "x-forwarded-for": address }
const colleagues = 100
/** Connections of the stranger. */
const guessers = 20

let provider: Awaited<ReturnType<typeof startProvider>>
let gateway: GatewayHere
let isOver = false
let guesses = 0
const guessed = new Set<number>()
let guessing: Promise<unknown> = Promise.resolve()
let began = 0

const guess = async () => {
  while (!isOver) {
    const { status } = await request(gateway, "/admin/v1/nodes", { key: `guess-${guesses++}`, headers })
    guessed.add(status)
  }
}

beforeAll(async () => {
  provider = await startProvider()
  gateway = await startGateway({ folder: provider.folder, env: { ...provider.env, GATEWAY_ADMIN_KEY: adminKey } })
  began = Date.now()
  guessing = Promise.all(Array.from({ length: guessers }, guess))
})
afterAll(async () => {
  isOver = true
  await guessing
  await gateway.dispose()
  await provider.stop()
})

/** What each of the colleagues does, ten at a time. */
const each = async <A>(one: (n: number) => Promise<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for (let n = 0; n < colleagues; n += 10) {
    all.push(...(await Promise.all(Array.from({ length: 10 }, (_, at) => one(n + at)))))
  }
  return all
}

const seconds = async <A>(what: string, run: () => Promise<A>): Promise<A> => {
  const from = performance.now()
  const answer = await run()
  console.log(`${colleagues} ${what}: ${((performance.now() - from) / 1_000).toFixed(1)} s`)
  return answer
}

describe("a hundred colleagues behind the address of a stranger", () => {
  it("sign in with their company's account", async () => {
    const statuses = await seconds("sign-ins by a provider", () =>
      each(async () => (await new Visitor(address).signIn(gateway.url, "ann")).status)
    )
    expect(new Set(statuses)).toEqual(new Set([303]))
  })

  it("let their programs in by a code", async () => {
    const ann = new Visitor(address)
    await ann.signIn(gateway.url, "ann")
    const { csrf } = await ann.session(gateway.url)
    const post = async (path: string, form: Record<string, string>) => {
      const answer = await fetch(gateway.url + path, { method: "POST", headers, body: new URLSearchParams(form) })
      return { status: answer.status, body: await answer.json() }
    }
    const statuses = await seconds("programs", () =>
      each(async () => {
        const begun = await post("/oauth/device_authorization", { surface: "claude_code" })
        const decided = await ann.send(`${gateway.url}/console/devices/decide`, {
          method: "POST",
          headers: { "x-gateway-csrf": csrf },
          body: JSON.stringify({ code: begun.body.user_code, approve: true, account: "default" })
        })
        const let_in = await post("/oauth/token", { grant_type: deviceGrant, device_code: begun.body.device_code })
        return [begun.status, decided.status, let_in.status].join(" ")
      })
    )
    expect(new Set(statuses)).toEqual(new Set(["200 200 200"]))
  })

  it("sign in with the admin key and with an API key, and use the admin API", async () => {
    const rights = await seconds("right keys", () =>
      Promise.all(
        Array.from({ length: colleagues }, async (_, n) => {
          if (n % 3 === 0) return (await request(gateway, "/admin/v1/nodes", { key: adminKey, headers })).status
          const key = n % 3 === 1 ? adminKey : gateway.key
          return (await new Browser(gateway.url, address).signIn({ key })).status
        })
      )
    )
    expect(new Set(rights)).toEqual(new Set([200]))
  })

  it("see the stranger slowed down", () => {
    const minutes = Math.floor(Date.now() / 60_000) - Math.floor(began / 60_000) + 1
    console.log(`${guesses} guesses by ${guessers} connections in ${((Date.now() - began) / 1_000).toFixed(1)} s`)
    expect(guessed).toEqual(new Set([401]))
    // Fifty until each waits for 4 s, then fifteen of each connection in the rest of the minute.
    expect(guesses).toBeLessThanOrEqual(minutes * (50 + 15 * guessers) + guessers)
  })
})
