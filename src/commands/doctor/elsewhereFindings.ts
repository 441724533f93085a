import { Effect } from "effect"
import type { Model } from "../../catalogue/Catalogue.ts"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { Settings } from "../../config/Settings.ts"
import type { GatewaySettings, LoadedFile } from "../../config/Settings.ts"
import { askUpstreams } from "../live/checkLive.ts"
import { askGuardrail } from "../live/checkGuardrails.ts"
import { issuersOf } from "../live/checkSignIn.ts"
import { askServers } from "../live/checkTools.ts"
import { ok, problem, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"
import { within } from "./within.ts"

type Findings = Effect.Effect<ReadonlyArray<Finding>>

/** A check for each upstream, so that one that hangs hides no other. */
export const upstreamChecks = (
  file: LoadedFile,
  models: ReadonlyMap<string, Model>,
  isWritten: boolean
): ReadonlyArray<Findings> =>
  Object.entries(file.value.upstreams ?? {}).map(([name, entry]) => {
    const check = `upstream ${name}`
    const alone = { ...file, value: { ...file.value, upstreams: { [name]: entry } } }
    const setting = entry.base_url === undefined ? `upstreams.${name}` : `upstreams.${name}.base_url`
    return within(
      check,
      `Check ${setting}, and the network and proxy between.`,
      Effect.map(askUpstreams(alone, models, isWritten), ({ replies, wrong }) =>
        wrong.length === 0
          ? replies.map(({ by, label, ms }) => ok(`upstream ${label}`, `answers after ${ms} ms (asked for ${by})`))
          : wrong.map(({ message, setting }) =>
              problem(check, message.replace(`${name}: `, ""), `Look at: ${setting ?? `upstreams.${name}`}.`)
            )
      )
    )
  })

/** A check for each server of tools. */
export const toolChecks = ({ mcp }: Pick<GatewayFile, "mcp">): ReadonlyArray<Findings> =>
  Object.entries(mcp?.servers ?? {}).map(([name, entry]) => {
    const check = `tools ${name}`
    const remedy = `Look at: mcp.servers.${name}.`
    return within(
      check,
      remedy,
      Effect.map(askServers({ mcp: { servers: { [name]: entry } } }), (replies) =>
        replies.flatMap(({ lines, row: [, answers = "", tools = ""] }): ReadonlyArray<Finding> => {
          const [message = ""] = lines.flatMap((line) => line.split("\n"))
          if (answers === "no") return [problem(check, message.replace(`${name}: `, ""), remedy)]
          return lines.length === 0
            ? [ok(check, answers === "yes" ? `answers with ${tools} tools` : answers)]
            : lines.map((line) => warning(check, line, remedy))
        })
      )
    )
  })

/** A check for each guardrail, which looks at a text of one word. */
export const guardrailChecks = ({ guardrails = {} }: Pick<GatewayFile, "guardrails">): ReadonlyArray<Findings> =>
  Object.entries(guardrails).map(([name, entry]) => {
    const check = `guardrail ${name}`
    return within(
      check,
      `Check guardrails.${name}.url, and that it answers as docs/guardrails.md says.${entry.fail === "open" ? "" : " Until then requests with it are refused (fail: closed)."}`,
      Effect.map(askGuardrail(name, entry), (words) => [ok(check, words)])
    )
  })

/** A check for each provider that people sign in with, and each issuer of tokens. */
export const signInChecks = (settings: GatewaySettings): ReadonlyArray<Findings> =>
  issuersOf(settings.file.value).map(({ ask, issuer, setting }) => {
    const check = `sign-in ${issuer}`
    const remedy = `Check ${setting}, and that it is reached from here.`
    return within(
      check,
      remedy,
      Effect.map(Effect.provideService(ask, Settings, settings), ({ lines, problem: why }) => {
        if (why !== undefined) return [problem(check, `can't be asked: ${why}`, remedy)]
        const warned = lines.filter((line) => line.startsWith("warning: "))
        return warned.length === 0
          ? [ok(check, "answers")]
          : warned.map((line) =>
              warning(check, line.slice("warning: ".length), `Look at: ${setting.replace(/issuer$/, "scopes")}.`)
            )
      })
    )
  })
