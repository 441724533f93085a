import { mkdtempSync, writeFileSync } from "node:fs"
import { connect } from "node:http2"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { providerProcess } from "./providerProcess.ts"
import type { RealProvider } from "./RealProvider.ts"
import { freePort } from "../../freePort.ts"

/** Dex, with its connector of one person in a group, and with the people of another provider. */
export const startDex = async (
  program: string,
  gateway: string,
  port: number,
  upstream: string
): Promise<RealProvider> => {
  const admin = freePort()
  const issuer = `http://localhost:${port}`
  const config = join(mkdtempSync(join(tmpdir(), "gateway-dex-")), "dex.yaml")
  const federated = {
    issuer: upstream,
    clientID: "dex",
    clientSecret: "dex-secret",
    redirectURI: `${issuer}/callback`,
    scopes: ["profile", "email", "offline_access"],
    getUserInfo: true,
    insecureEnableGroups: true,
    userNameKey: "sub"
  }
  writeFileSync(
    config,
    JSON.stringify({
      issuer,
      storage: { type: "memory" },
      web: { http: `127.0.0.1:${port}` },
      grpc: { addr: `127.0.0.1:${admin}` },
      oauth2: { skipApprovalScreen: true },
      staticClients: [
        { id: "gateway", secret: "gateway-secret", name: "gateway", redirectURIs: [`${gateway}/sign-in/callback`] }
      ],
      connectors: [
        { type: "mockCallback", id: "mock", name: "Mock" },
        { type: "oidc", id: "upstream", name: "Upstream", config: federated }
      ]
    })
  )
  const running = await providerProcess(issuer, [program, "serve", config])
  const person = (name: string) => ({ name, password: "any", way: "/auth/upstream", shown: `${name}@corp.test` })
  return {
    ...running,
    entry: `{ issuer: "${issuer}", client_id: gateway, client_secret: gateway-secret, scopes: [openid, email, profile, groups, offline_access] }`,
    // The groups of the other provider have a rule there.
    roles: ["{ group: authors, role: operator }"],
    people: {
      operator: { name: "kilgore", password: "", way: "/auth/mock", shown: "kilgore@kilgore.trout" },
      member: person("bob"),
      stranger: person("eve")
    },
    rotates: true,
    signsOut: false,
    end: ({ subject }) => administer(admin, "RevokeRefresh", [subject, "gateway"]),
    restore: async () => {}
  }
}

/** A message of Protocol Buffers whose fields, from the first on, are short texts. */
const fieldsOf = (fields: ReadonlyArray<string>): Buffer =>
  Buffer.concat(
    fields.flatMap((field, index) => {
      const bytes = Buffer.from(field)
      return [Buffer.from([((index + 1) << 3) | 2, bytes.length]), bytes]
    })
  )

/** Calls its administration, which speaks gRPC: one message, and the status in the trailers. */
const administer = (port: number, method: string, fields: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const message = fieldsOf(fields)
    const head = Buffer.alloc(5)
    head.writeUInt32BE(message.length, 1)
    const session = connect(`http://127.0.0.1:${port}`)
    session.on("error", reject)
    const call = session.request({
      ":method": "POST",
      ":path": `/api.Dex/${method}`,
      "content-type": "application/grpc",
      te: "trailers"
    })
    let status: unknown
    call.on("response", (headers) => (status ??= headers["grpc-status"]))
    call.on("trailers", (trailers) => (status ??= trailers["grpc-status"]))
    call.on("error", reject)
    call.on("end", () => {
      session.close()
      if (status === "0") resolve()
      else reject(new Error(`${method}: grpc-status ${String(status)}`))
    })
    call.resume()
    call.end(Buffer.concat([head, message]))
  })
