import { hkdfSync } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { describe } from "vitest"
import { makeSeal } from "../../../src/access/sealed.ts"
import { behindProxy } from "../../console/browser.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { StartOptions } from "../../e2e/process.ts"
import { gatewayEnv } from "../../sql/engines.ts"
import type { Engine } from "../../sql/engines.ts"
import { laterBy } from "../laterBy.ts"
import { statementsOn } from "../statementsOn.ts"
import { Visitor } from "../visitor.ts"
import { startCertified } from "./certified.ts"
import { startDex } from "./dex.ts"
import { goProgram } from "../../goPrograms.ts"
import type { Person, RealProvider } from "./RealProvider.ts"
import { startZitadel } from "./zitadel.ts"
import { freePort } from "../../freePort.ts"

const [dex, zitadel] = [goProgram("dex"), goProgram("zitadel")]

/** All providers, whether they can be had here or not. */
export const allProviders = ["oidc-provider", "Dex", "zitadel"] as const
type ProviderName = (typeof allProviders)[number]

/** True if a provider can't be had here: its tests are skipped by name. */
export const isMissing = (name: ProviderName): boolean =>
  (name === "Dex" && dex === undefined) || (name === "zitadel" && zitadel === undefined)

/** The providers that can be had here. */
export const providerNames: ReadonlyArray<string> = allProviders.filter((name) => !isMissing(name))

/** What holds with every provider. @param title with `%s` for the provider's name */
export const describeWithEach = (title: string, tests: (name: ProviderName) => void): void => {
  for (const name of allProviders) describe.skipIf(isMissing(name))(title.replace("%s", name), () => tests(name))
}

/** Each with the gateway as its client; Dex has people of the first, too. */
const startAll = async (gateway: string): Promise<ReadonlyMap<string, RealProvider>> => {
  const dexPort = freePort()
  const certified = await startCertified(gateway, `http://localhost:${dexPort}`)
  return new Map([
    ["oidc-provider", certified],
    ...(dex === undefined ? [] : [["Dex", await startDex(dex, gateway, dexPort, certified.issuer)] as const]),
    ...(zitadel === undefined ? [] : [["zitadel", await startZitadel(zitadel, gateway)] as const])
  ])
}

const minute = 60_000
const secret = "s".repeat(64)
const { open } = makeSeal(Redacted.make(new Uint8Array(hkdfSync("sha256", secret, "", "people/tokens", 32))))

/**
 * A gateway with all these providers in one configuration.
 *
 * @param options of its process
 */
export const startWorld = async (engine: Pick<Engine, "name">, options: StartOptions = {}) => {
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const providers = await startAll(url)
  const all = [...providers.values()]
  const folder = mkdtempSync(join(tmpdir(), "gateway-others-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `${behindProxy}accounts: { team-a: {} }
sign_in:
  oidc:
${all.map(({ entry }) => `    - ${entry}\n`).join("")}  roles:
${all
  .flatMap(({ roles }) => roles)
  .map((role) => `    - ${role}\n`)
  .join("")}`
  )
  const env: Record<string, string> = {
    GATEWAY_PORT: String(port),
    GATEWAY_SECRET: secret,
    ...(await gatewayEnv("others")),
    ...options.env
  }
  const database = env["GATEWAY_DATABASE_URL"] ?? join(folder, "data/gateway.db")
  const gateway = await startGateway({ ...options, folder, env })
  const run = (...statements: ReadonlyArray<string>) => statementsOn(engine, database, statements)

  const provider = (name: string): RealProvider => {
    const found = providers.get(name)
    if (found === undefined) throw new Error(`no provider ${name}`)
    return found
  }
  const pathTo = ({ issuer }: RealProvider, more = "") => `/sign-in?issuer=${encodeURIComponent(issuer)}${more}`

  /** Someone who has signed in. */
  const signedIn = async (at: RealProvider, person: Person) => {
    const visitor = new Visitor()
    const answer = await visitor.signIn(url, person, pathTo(at))
    if (answer.status !== 303) throw new Error(`${answer.status} ${await answer.text()}`)
    return visitor
  }
  const status = async (visitor: Visitor, path = "/admin/v1/nodes") => (await visitor.send(url + path)).status
  const isIn = async (visitor: Visitor): Promise<boolean> => (await visitor.session(url)).signed_in
  /** A change by the console's page. */
  const change = async (visitor: Visitor, method: string, path: string, body?: object) =>
    visitor.send(url + path, {
      method,
      headers: { "x-gateway-csrf": (await visitor.session(url)).csrf },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
  const later = laterBy(run)
  /** A person as the gateway has them, with their provider's tokens. */
  const personOf = async ({ issuer }: RealProvider, { shown }: Person) => {
    const [row] = await run(
      `SELECT p.id, p.subject, p.checked_at, p.ended_at, p.groups, t.refresh_token, t.id_token, t.failing_since
        FROM people p JOIN provider_tokens t ON t.person_id = p.id
        WHERE p.issuer = '${issuer}' AND p.email = '${shown}'`
    )
    if (row === undefined) throw new Error(`no person ${shown}`)
    const id = String(row["id"])
    return {
      id,
      subject: String(row["subject"]),
      checkedAt: Number(row["checked_at"]),
      hasEnded: row["ended_at"] !== null,
      isFailing: row["failing_since"] !== null,
      refreshToken: open(String(row["refresh_token"]), id),
      idToken: open(String(row["id_token"]), id) ?? ""
    }
  }
  /** Ends a person's sign-in at their provider, and comes to the time of the next check: by a request, or by the daemon. */
  const end = async (at: RealProvider, person: Person) => {
    const { idToken, subject } = await personOf(at, person)
    await at.end({ name: person.name, subject, idToken })
    await later(5 * minute)
  }
  return {
    gateway,
    folder,
    env,
    url,
    providers,
    provider,
    pathTo,
    run,
    signedIn,
    status,
    isIn,
    change,
    personOf,
    end,
    later,
    /** As if it were time to ask about all people. */
    due: () => later(5 * minute),
    stop: async () => {
      await gateway.dispose()
      await Promise.all(all.map((one) => one.stop()))
    }
  } as const
}
export type World = Awaited<ReturnType<typeof startWorld>>
