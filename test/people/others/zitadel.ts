import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { providerProcess } from "./providerProcess.ts"
import type { RealProvider } from "./RealProvider.ts"
import { freePort } from "../../freePort.ts"

/** The example server of zitadel's library: it has no groups, and its issuer ends in a slash. */
export const startZitadel = async (program: string, gateway: string): Promise<RealProvider> => {
  const port = freePort()
  const issuer = `http://localhost:${port}/`
  const users = join(mkdtempSync(join(tmpdir(), "gateway-zitadel-")), "users.json")
  const person = (name: string, email: string, isVerified = true) => ({
    ID: name,
    Username: name,
    Password: "any",
    FirstName: name,
    LastName: "Any",
    Email: email,
    EmailVerified: isVerified,
    PreferredLanguage: "en"
  })
  writeFileSync(
    users,
    JSON.stringify({
      ann: person("ann", "ann@zitadel.test"),
      bob: person("bob", "bob@members.test"),
      eve: person("eve", "eve@members.test", false)
    })
  )
  const running = await providerProcess(issuer, [program], {
    PORT: String(port),
    REDIRECT_URI: `${gateway}/sign-in/callback`,
    USERS_FILE: users
  })
  return {
    ...running,
    entry: `{ issuer: "${issuer}", client_id: web, client_secret: secret }`,
    roles: [
      "{ email: ann@zitadel.test, role: operator }",
      "{ domain: members.test, role: member, accounts: [team-a] }"
    ],
    people: {
      operator: { name: "ann", password: "any", shown: "ann@zitadel.test" },
      member: { name: "bob", password: "any", shown: "bob@members.test" },
      stranger: { name: "eve", password: "any", shown: "" }
    },
    rotates: true,
    signsOut: true,
    // Signing out there ends all tokens that the client has of the person.
    end: async ({ idToken }) => {
      const answer = await fetch(`${issuer}end_session?id_token_hint=${idToken}`)
      if (!answer.ok) throw new Error(`end_session answers ${answer.status}`)
    },
    restore: async () => {}
  }
}
