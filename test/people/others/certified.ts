import { startOidcProvider } from "../startProvider.ts"
import type { RealProvider } from "./RealProvider.ts"

/** The certified `oidc-provider` of npm. @param dex the address of another client */
export const startCertified = async (gateway: string, dex?: string): Promise<RealProvider> => {
  const running = await startOidcProvider(gateway, dex)
  const tell = async (what: string, name: string) => {
    await fetch(`${running.issuer}/-/${what}?name=${name}`)
  }
  const person = (name: string) => ({ name, password: "any", shown: `${name}@corp.test` })
  return {
    ...running,
    entry: `{ issuer: "${running.issuer}", client_id: gateway, client_secret: gateway-secret }`,
    roles: ["{ group: platform, role: operator }", "{ group: team-a, role: member, accounts: [team-a] }"],
    people: { operator: person("ann"), member: person("bob"), stranger: person("eve") },
    rotates: false,
    signsOut: true,
    end: ({ name }) => tell("remove", name),
    restore: (name) => tell("restore", name)
  }
}
