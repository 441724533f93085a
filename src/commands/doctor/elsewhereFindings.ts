import { Effect } from "effect"
import type { Model } from "../../catalogue/Catalogue.ts"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { Settings } from "../../config/Settings.ts"
import type { GatewaySettings, LoadedFile } from "../../config/Settings.ts"
import { askUpstreams } from "../live/checkLive.ts"
import { askSignIn } from "../live/checkSignIn.ts"
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
          const [message = "", ...rest] = lines.flatMap((line) => line.split("\n"))
          if (answers === "no") return [problem(check, message, rest.join(" ").trim() || remedy)]
          return lines.length === 0
            ? [ok(check, answers === "yes" ? `answers with ${tools} tools` : answers)]
            : lines.map((line) => warning(check, line, remedy))
        })
      )
    )
  })

/** The providers that people sign in with, and issuers of tokens. */
export const signInFindings = (settings: GatewaySettings): Findings =>
  Effect.map(Effect.provideService(askSignIn, Settings, settings), (replies) =>
    replies.flatMap(({ issuer, lines, problem: why }) => {
      const check = "sign-in"
      if (why !== undefined) {
        const isToken = settings.file.value.sign_in?.jwt?.some((entry) => entry.issuer === issuer) === true
        const setting = isToken ? "sign_in.jwt[].issuer" : "sign_in.oidc[].issuer"
        return [
          problem(check, `${issuer} can't be asked: ${why}`, `Check ${setting}, and that it is reached from here.`)
        ]
      }
      const warned = lines.filter((line) => line.startsWith("warning: "))
      return warned.length === 0
        ? [ok(check, `${issuer} answers`)]
        : warned.map((line) =>
            warning(check, `${issuer}: ${line.slice("warning: ".length)}`, "Look at: sign_in.oidc[].scopes.")
          )
    })
  )
