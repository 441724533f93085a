import { note } from "../run.ts"
import { order } from "../judged.ts"
import type { Machine } from "./claude.ts"
import { makeMachine, openWindow, readCode, ready, say, toPrompt } from "./claude.ts"
import { expect, settled } from "./expected.ts"
import type { Exchange } from "./recorder.ts"
import type { SignInServer } from "./server.ts"
import type { Terminal } from "./terminal.ts"

/** What a developer does at a gateway, in order; each step builds on those before it. */
export interface Step {
  readonly name: string
  /** Throws what is wrong. */
  readonly run: () => Promise<void>
}

/** The client refreshes its token when less than this is left of it. */
const marginMs = 300_000

/** The exporter goes by a proxy in spite of `NO_PROXY`. */
const telemetry = {
  HTTP_PROXY: "",
  HTTPS_PROXY: "",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_METRIC_EXPORT_INTERVAL: "500",
  OTEL_LOGS_EXPORT_INTERVAL: "500"
}

const ann = "ann"
const dan = "dan"

export const stepsAt = (
  server: SignInServer
): { readonly steps: ReadonlyArray<Step>; readonly stop: () => Promise<void> } => {
  const isOurs = server.name === "ours"
  const machines: Array<Machine> = []
  const windows: Array<Terminal> = []
  const machine = () => {
    const made = makeMachine(server.url)
    machines.push(made)
    return made
  }
  const open = async (at: Machine, args?: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => {
    const window = await openWindow(at, args, env)
    windows.push(window)
    return window
  }
  const signIn = async (person: string) => {
    const [at, window] = [machine(), await open(machines.at(-1)!)]
    await server.approve(await readCode(window), person)
    await toPrompt(window, isOurs ? `${person}@corp.test` : undefined)
    return { at, window }
  }
  /** What was asked while something was done. */
  const during = async (work: () => Promise<unknown>): Promise<ReadonlyArray<Exchange>> => {
    const before = server.exchanges().length
    await work()
    return server.exchanges().slice(before)
  }
  const refreshes = (exchanges: ReadonlyArray<Exchange>) =>
    exchanges.filter(({ body, path }) => path === "/oauth/token" && body.startsWith("grant_type=refresh_token"))

  let at: Machine
  let first: Terminal
  let second: Terminal

  const steps: ReadonlyArray<Step> = [
    {
      name: "a sign-in that is denied in the browser",
      run: async () => {
        const window = await open(machine())
        await server.deny(await readCode(window), ann)
        await window.until("Sign-in was denied in the browser")
        await window.stop()
      }
    },
    {
      name: "a first start: trust, a code, pending, approved, settings, a probe",
      run: async () => {
        at = machine()
        first = await open(at)
        const code = await readCode(first)
        await settled(() => server.exchanges().at(-1)?.answer.includes("authorization_pending") === true)
        await server.approve(code, ann)
        await toPrompt(first, isOurs ? "ann@corp.test" : undefined)
        await settled(() => server.exchanges().some(({ body }) => body.includes('"quota"')))
        expect(at.kept()?.idpRefreshToken !== undefined, "keeps a refresh token")
      }
    },
    {
      name: "a tool loop",
      run: async () => {
        const bash = order("Bash", { command: "cat note.txt", description: "reads" })
        const asked = await during(() => say(first, bash, `The tool answered: ${note}`))
        expect(asked.filter(({ status }) => status === 200).length >= 2, "two answers", asked)
        expect(refreshes(asked).length === 0, "no refresh of a token of an hour", asked)
        const told = asked.filter(({ answerHeaders }) => "anthropic-ratelimit-unified-status" in answerHeaders)
        expect(told.length === 0, "nothing of the upstream's own limits", told)
      }
    },
    {
      name: "/usage without a budget, and with one",
      run: async () => {
        await say(first, "/usage", "Spend (UTC)")
        await first.press("escape")
        await server.budget(ann, 500)
        // The reference reads a budget anew after some seconds.
        for (let tries = 0; !/\$0\S* \/ \$500\S* spent this month · Resets/.test(first.screen()); tries++) {
          expect(tries < 10, `shows the budget:\n${first.screen()}`)
          await first.press("escape")
          await Bun.sleep(2_000)
          await say(first, "/usage", /Spend \(UTC\)|spent this month/)
        }
        await first.press("escape")
        await first.until(ready)
      }
    },
    {
      name: "two windows refresh one sign-in at once",
      run: async () => {
        await first.stop()
        at.endIn(marginMs + 8_000)
        first = await open(at)
        second = await open(at)
        await Promise.all([first.until(ready), second.until(ready)])
        await settled(() => (at.kept()?.expiresAt ?? 0) - Date.now() < marginMs - 500)
        const asked = await during(() => Promise.all([say(first, "Hello one"), say(second, "Hello two")]))
        const sent = refreshes(asked)
        expect(sent.length >= 2, "a refresh of each", asked)
        expect(new Set(sent.map(({ body }) => body)).size === 1, "one refresh token", asked)
        expect(
          sent.every(({ status }) => status === 200),
          "each is answered",
          asked
        )
        await Promise.all([say(first, "Hello again one"), say(second, "Hello again two")])
        const [left] = [(at.kept()?.expiresAt ?? 0) - Date.now()]
        expect(left > marginMs * 2, "a new token is kept")
      }
    },
    {
      name: "a model that is not there",
      run: async () => {
        const window = await open(at, ["--model", "gpt-nothing"])
        await window.until(ready)
        const asked = await during(() => say(window, "Hello", /API Error: 400 .*gpt-nothing/))
        const denied = asked.filter(({ body }) => body.includes('"gpt-nothing"'))
        expect(denied.length > 0 && denied.every(({ status }) => status === 400), "each is a 400", asked)
        await window.stop()
      }
    },
    {
      name: "a budget that is nearly used up",
      run: async () => {
        if (server.spend === undefined) return
        await server.spend(400)
        // A window warns once.
        for (const { limit, percent, window } of [
          { limit: 500, percent: 80, window: first },
          { limit: 416, percent: 96, window: second }
        ]) {
          await server.budget(ann, limit)
          await say(window, `Hello, are ${percent} percent used?`)
          await window.until(`You've used ${percent}% of your usage credits · resets`)
        }
      }
    },
    {
      name: "a budget that is used up",
      run: async () => {
        await server.budget(ann, 0.000_001)
        await settled(() => first.screen().includes(ready), 1_500)
        const asked = await during(() => say(first, "Hello, is any left?", isOurs ? /budget/i : "spend limit reached"))
        const over = asked.filter(({ path }) => path.startsWith("/v1/messages"))
        expect(
          over.some(({ status }) => status === 429),
          "a 429",
          asked
        )
        expect(!first.screen().includes("API Error"), "the message alone")
        await server.budget(ann, 500)
      }
    },
    {
      name: "telemetry that the machine has switched on",
      run: async () => {
        const window = await open(at, [], telemetry)
        await window.until(ready)
        const isTold = (signal: string) => (exchange: Exchange) => exchange.path === `/v1/${signal}`
        await say(window, "Hello, what is counted?")
        await settled(() => ["metrics", "logs"].every((signal) => server.exchanges().some(isTold(signal))))
        const told = server.exchanges().filter(({ path }) => path === "/v1/metrics" || path === "/v1/logs")
        expect(
          told.every(({ status }) => status === 200),
          "each is a 200",
          told
        )
        expect(
          told.every(({ headers }) => headers["authorization"]?.startsWith("Bearer ") === true),
          "with the token"
        )
        await window.stop()
      }
    },
    {
      name: "the provider is away: the token is used to its end, the refresh token is kept",
      run: async () => {
        const { at: other, window } = await signIn(dan)
        await window.stop()
        other.endIn(marginMs + 5_000)
        const again = await open(other)
        await again.until(ready)
        await server.provider("away", other.kept()?.idpRefreshToken ?? "")
        await settled(() => (other.kept()?.expiresAt ?? 0) - Date.now() < marginMs - 500)
        // Ours answers 503 once its outage hours are over, and the client repeats the message.
        const shown = isOurs ? /503 .* retrying/ : undefined
        const asked = await during(() => say(again, "Hello, are you away?", shown))
        expect(
          refreshes(asked).every(({ status }) => status === 503),
          "each refresh is a 503",
          asked
        )
        expect(refreshes(asked).length > 0, "a refresh", asked)
        expect(other.kept()?.idpRefreshToken !== undefined, "the refresh token is kept")
        await server.provider("back", "")
        await again.until("You said: Hello, are you away?")
        await say(again, "Hello, are you back?")
        expect(refreshes(server.exchanges()).at(-1)?.status === 200, "a refresh")
        await again.stop()
      }
    },
    {
      name: "put out while it runs",
      run: async () => {
        const { at: other, window } = await signIn(dan)
        await say(window, "Hello, am I in?")
        await server.putOut(dan, other.kept()?.idpRefreshToken ?? "")
        if (isOurs) {
          const asked = await during(() => say(window, "Hello, am I out?", /Please run \/login/))
          const refused = asked.filter(({ path }) => path.startsWith("/v1/messages"))
          expect(
            refused.every(({ status }) => status === 401),
            "a 401",
            asked
          )
          expect(
            refused.every(({ answerHeaders }) => answerHeaders["x-should-retry"] === "false"),
            "at once",
            asked
          )
        }
        await window.stop()
        other.endIn(60_000)
        const again = await open(other)
        await settled(() => other.kept()?.idpRefreshToken === undefined)
        const refused = refreshes(server.exchanges()).at(-1)
        expect(refused?.status === 401 && refused.answer.includes("invalid_grant"), "401 invalid_grant")
        await again.stop()
        other.endIn(-1_000)
        const out = await open(other)
        await out.until("Not logged in")
        await out.stop()
      }
    },
    {
      name: "/logout",
      run: async () => {
        const asked = await during(async () => {
          await say(second, "/logout", "Successfully logged out")
          await second.exited
        })
        expect(at.kept() === undefined, "nothing is kept")
        const revoked = asked.filter(({ path }) => path === "/oauth/revoke")
        if (isOurs) {
          expect(revoked.length === 2 && revoked.every(({ status }) => status === 200), "two revocations", asked)
          await say(first, "Hello, is this the end?", /Please run \/login/)
        }
        await first.stop()
      }
    }
  ]
  return {
    steps,
    stop: async () => {
      await Promise.all(windows.map((window) => window.stop()))
      for (const one of machines) one.dispose()
    }
  }
}
