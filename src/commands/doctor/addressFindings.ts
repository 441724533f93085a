import { connect } from "node:tls"
import { HttpClient } from "@effect/platform"
import { Effect, Option } from "effect"
import type { GatewaySettings } from "../../config/Settings.ts"
import { withoutSlash } from "../../config/withoutSlash.ts"
import { readCertificate } from "../../http/Certificate.ts"
import { overHttp, reasonOf } from "../overHttp.ts"
import { ownAddress, ownCertificate } from "../ownAddress.ts"
import { ok, problem, settingOf, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

const dayMs = 86_400_000
const soonDays = 14

/** The gateway's own certificates. */
export const certificateFindings = ({ server }: GatewaySettings) =>
  Effect.forEach(
    [
      ...Option.toArray(Option.map(server.tls, (files) => ({ files, setting: "server" as const }))),
      ...Option.toArray(
        Option.map(
          Option.flatMap(server.admin, ({ tls }) => tls),
          (files) => ({ files, setting: "server.admin" as const })
        )
      )
    ],
    ({ files, setting }) =>
      Effect.map(readCertificate(files, setting), ({ endsAtMs }) =>
        expiryFinding(
          `certificate ${files.cert}`,
          endsAtMs,
          `Renew the files of ${setting}.tls.cert and ${setting}.tls.key.`
        )
      )
  )

/** The operators' own address, where there is one: it answers, and with TLS where others than this machine reach it. */
export const adminAddressFindings = (settings: GatewaySettings) =>
  Option.match(settings.server.admin, {
    onNone: () => Effect.succeed([]),
    onSome: (admin) =>
      Effect.gen(function* () {
        const url = ownAddress(admin)
        const check = "admin address"
        const [{ is, words }, own] = yield* Effect.all([listenerAt(url, ownCertificate), ownListener(settings)], {
          concurrency: "unbounded"
        })
        if (is === "gateway") return [ok(check, `${url}: ${words}`)]
        if (own.is !== "gateway" && is === "none") return [ok(check, `${url}; no gateway runs here now`)]
        return [
          is === "none"
            ? problem(
                check,
                `${url}: ${words}, though the gateway answers at ${ownAddress(settings.server)}`,
                "Restart the gateway: server.admin takes effect at its start."
              )
            : problem(check, `${url}: ${words}`, "Stop the program that has this port, or change server.admin.port.")
        ]
      })
  })

const expiryFinding = (what: string, endsAtMs: number, remedy: string): Finding => {
  const days = Math.floor((endsAtMs - Date.now()) / dayMs)
  const on = Number.isNaN(endsAtMs) ? "?" : new Date(endsAtMs).toISOString().slice(0, 10)
  if (days < 0) return problem("certificate", `${what} expired on ${on}`, remedy)
  return days < soonDays
    ? warning("certificate", `${what} expires on ${on}, in ${days} days`, remedy)
    : ok("certificate", `${what} is valid until ${on}`)
}

/** The program that listens at an address. */
interface Listener {
  readonly is: "gateway" | "another" | "silent" | "none"
  readonly words: string
}

/** How long an address may take to answer. */
const answerTime = "5 seconds"

/** The answer to `GET /healthz` at an address. */
const listenerAt = (url: string, options?: RequestInit): Effect.Effect<Listener> =>
  HttpClient.get(`${url}/healthz`).pipe(
    Effect.flatMap((response) =>
      Effect.map(
        Effect.orElseSucceed(response.json, () => undefined),
        (body): Listener =>
          response.status === 200 && typeof body === "object" && body !== null && Reflect.get(body, "status") === "ok"
            ? { is: "gateway", words: "a gateway answers" }
            : { is: "another", words: `something else answers (${response.status})` }
      )
    ),
    Effect.catchAll((error) =>
      Effect.succeed<Listener>({ is: "none", words: error._tag === "RequestError" ? reasonOf(error) : "no answer" })
    ),
    overHttp(url, options),
    Effect.disconnect,
    Effect.timeoutTo({
      duration: answerTime,
      onSuccess: (listener) => listener,
      onTimeout: (): Listener => ({ is: "silent", words: `no answer within ${answerTime}` })
    })
  )

/** The program that listens where this gateway does. */
export const ownListener = ({ server }: GatewaySettings) => listenerAt(ownAddress(server), ownCertificate)

/** Asks for the gateway at its public address, as clients do. */
export const publicUrlFindings = (settings: GatewaySettings) =>
  Effect.gen(function* () {
    const setting = publicUrlSetting(settings)
    if (Option.isNone(settings.server.publicUrl)) {
      return [ok("public URL", `${setting} is not set: links begin with ${ownAddress(settings.server)}`)]
    }
    const url = withoutSlash(settings.server.publicUrl.value)
    const [{ is, words }, own, endsAtMs] = yield* Effect.all(
      [listenerAt(url), ownListener(settings), expiryAt(new URL(url))],
      { concurrency: "unbounded" }
    )
    const remedy = `Change ${setting}, or the proxy and the name (DNS) in front of the gateway.`
    const answer =
      is === "gateway"
        ? ok("public URL", `${url}: ${words}`)
        : is === "none" && own.is !== "gateway"
          ? warning(
              "public URL",
              `${url}: ${words}; no gateway runs here now`,
              `Start the gateway and ask again. ${remedy}`
            )
          : problem("public URL", `${url}: ${words}`, remedy)
    return endsAtMs === undefined
      ? [answer]
      : [answer, expiryFinding(`of ${url}`, endsAtMs, `Renew the certificate at ${url}, which ${setting} names.`)]
  })

export const publicUrlSetting = (settings: GatewaySettings): string =>
  settingOf(settings, "server.public_url", "GATEWAY_PUBLIC_URL")

/** When the certificate of an address ends, whether it is accepted or not; undefined without TLS or an answer. */
const expiryAt = ({ hostname, port, protocol }: URL): Effect.Effect<number | undefined> =>
  protocol !== "https:"
    ? Effect.succeed(undefined)
    : Effect.async((resume) => {
        const host = hostname.replace(/^\[|\]$/g, "")
        const socket = connect({
          host,
          port: port === "" ? 443 : Number(port),
          rejectUnauthorized: false,
          ...(/[a-z]/i.test(host) && !host.includes(":") && { servername: host })
        })
        const end = (at: number | undefined) => {
          socket.destroy()
          resume(Effect.succeed(at))
        }
        socket.setTimeout(5_000, () => end(undefined))
        socket.once("error", () => end(undefined))
        socket.once("secureConnect", () => {
          const at = Date.parse(socket.getPeerCertificate().valid_to)
          end(Number.isNaN(at) ? undefined : at)
        })
        return Effect.sync(() => socket.destroy())
      })
