import { generateKeyPairSync } from "node:crypto"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { request } from "../../request.ts"
import { startGateway } from "../process.ts"
import { startTokenServices } from "./tokenServices.ts"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const clouds = startTokenServices({ publicKey: publicKey.export({ type: "spki", format: "pem" }) })
afterAll(() => clouds.stop())

const account = (tokenUri = `${clouds.url}/google/token`) => ({
  type: "service_account",
  client_email: "gateway@project.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: tokenUri
})

interface Chain {
  readonly name: string
  readonly auth: unknown
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  /** The service that gives the credentials; undefined if they are fixed. */
  readonly asks?: string
  readonly identity: string
}

const federated = {
  AWS_WEB_IDENTITY_TOKEN_FILE: "web.token",
  AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/gateway",
  AWS_ENDPOINT_URL_STS: `${clouds.url}/sts/`,
  AWS_REGION: "us-east-1"
}
const fixed = { access_key_id: "AKIAFIXED0000000001", secret_access_key: "fixed-secret-0123456789" }

const chains: ReadonlyArray<Chain> = [
  { name: "aws: fixed keys", auth: { kind: "aws", ...fixed }, identity: "access key …0001" },
  {
    name: "aws: keys in the environment",
    auth: "aws",
    env: { AWS_ACCESS_KEY_ID: fixed.access_key_id, AWS_SECRET_ACCESS_KEY: fixed.secret_access_key },
    identity: "access key …0001"
  },
  {
    name: "aws: a profile",
    auth: { kind: "aws", profile: "team" },
    files: {
      ".aws/credentials": `[team]\naws_access_key_id = ${fixed.access_key_id}\naws_secret_access_key = ${fixed.secret_access_key}\n`
    },
    identity: "access key …0001"
  },
  {
    name: "aws: a program that a named profile starts",
    auth: { kind: "aws", profile: "program" },
    files: {
      ".aws/config": `[profile program]\ncredential_process = echo '{"Version": 1, "AccessKeyId": "${fixed.access_key_id}", "SecretAccessKey": "${fixed.secret_access_key}"}'\n`
    },
    identity: "access key …0001"
  },
  {
    name: "aws: a web identity",
    auth: "aws",
    env: federated,
    files: { "web.token": "web-identity" },
    asks: "/sts/",
    identity: "access key …"
  },
  {
    name: "aws: another role",
    auth: { kind: "aws", ...fixed, role_arn: "arn:aws:iam::123456789012:role/models" },
    env: { AWS_ENDPOINT_URL_STS: `${clouds.url}/sts/` },
    asks: "/sts/",
    identity: "access key …"
  },
  {
    name: "aws: a container",
    auth: "aws",
    env: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${clouds.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "container-token"
    },
    asks: "/container",
    identity: "access key …"
  },
  {
    name: "aws: a machine, and a default profile that starts a program is left alone",
    auth: "aws",
    env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: clouds.url },
    files: { ".aws/config": "[default]\ncredential_process = touch started; exit 1\n" },
    asks: "/latest/meta-data/iam/security-credentials/role",
    identity: "access key …"
  },
  {
    name: "aws: a machine, and a default profile whose source starts a program is left alone",
    auth: "aws",
    env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: clouds.url },
    files: {
      ".aws/config":
        "[default]\nrole_arn = arn:aws:iam::123456789012:role/x\nsource_profile = base\n" +
        "[profile base]\ncredential_process = touch started; exit 1\n"
    },
    asks: "/latest/meta-data/iam/security-credentials/role",
    identity: "access key …"
  },
  {
    name: "aws: a profile of a single sign-on",
    auth: { kind: "aws", profile: "sso" },
    env: { AWS_ENDPOINT_URL_SSO: `${clouds.url}/sso` },
    files: {
      ".aws/config":
        "[profile sso]\nsso_start_url = https://sso.example.com\nsso_region = us-east-1\n" +
        "sso_account_id = 123456789012\nsso_role_name = gateway\n",
      [`.aws/sso/cache/${new Bun.CryptoHasher("sha1").update("https://sso.example.com").digest("hex")}.json`]:
        JSON.stringify({ accessToken: "sso-token", expiresAt: "2999-01-01T00:00:00Z" })
    },
    asks: "/sso/federation/credentials",
    identity: "access key …"
  },
  {
    name: "aws: Bedrock's bearer key",
    auth: "aws",
    env: { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-0123456789" },
    identity: "the key in AWS_BEARER_TOKEN_BEDROCK"
  },
  {
    name: "google: a service account",
    auth: { kind: "google", credentials_file: "account.json" },
    files: { "account.json": JSON.stringify(account()) },
    asks: "/google/token",
    identity: "gateway@project.iam.gserviceaccount.com"
  },
  {
    name: "google: an authorized user, where gcloud left it",
    auth: "google",
    files: {
      ".config/gcloud/application_default_credentials.json": JSON.stringify({
        type: "authorized_user",
        client_id: "gcloud",
        client_secret: "gcloud-secret",
        refresh_token: "refresh",
        token_uri: `${clouds.url}/google/token`
      })
    },
    env: {},
    asks: "/google/token",
    identity: "authorized_user"
  },
  {
    name: "google: a workload identity",
    auth: "google",
    env: { GOOGLE_APPLICATION_CREDENTIALS: "workload.json" },
    files: {
      "subject.token": "subject",
      "workload.json": JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: `${clouds.url}/google/sts`,
        credential_source: { file: "subject.token" }
      })
    },
    asks: "/google/sts",
    identity: "external_account"
  },
  {
    name: "google: a machine",
    auth: "google",
    env: { GCE_METADATA_HOST: clouds.url.slice("http://".length) },
    asks: "/computeMetadata/v1/instance/service-accounts/default/token",
    identity: ""
  },
  {
    name: "azure: a client secret",
    auth: { kind: "azure", tenant_id: "tenant", client_id: "client", client_secret: "client-secret-0123456789" },
    env: { AZURE_AUTHORITY_HOST: clouds.url },
    asks: "/tenant/oauth2/v2.0/token",
    identity: "an Entra identity"
  },
  {
    name: "azure: a workload identity",
    auth: "azure",
    env: {
      AZURE_AUTHORITY_HOST: clouds.url,
      AZURE_TENANT_ID: "tenant",
      AZURE_CLIENT_ID: "client",
      AZURE_FEDERATED_TOKEN_FILE: "azure.token"
    },
    files: { "azure.token": "federated\n" },
    asks: "/tenant/oauth2/v2.0/token",
    identity: "an Entra identity"
  },
  {
    name: "azure: a managed identity",
    auth: "azure",
    env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: clouds.url },
    asks: "/metadata/identity/oauth2/token",
    identity: "an Entra identity"
  }
]

/** A gateway with one upstream that knows the caller by these credentials. */
const startWith = ({ auth, env = {}, files = {} }: Omit<Chain, "name" | "identity">) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-clouds-"))
  const upstreams = { up: { protocol: "openai-chat", base_url: `${clouds.url}/v1`, auth } }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const models = { m: { routes: [{ upstream: "up", model: "there" }] } }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  return startGateway({ folder, env: { HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1", ...env } })
}

const hello = { model: "m", messages: [{ role: "user", content: "hi" }] }
const secrets = /fixed-secret|secret-of|session-of|token-of|client-secret|PRIVATE KEY|bedrock-key|web-identity/

describe.each(chains)("$name", ({ asks, ...chain }) => {
  it("is fetched once, shown by no log, and fetched anew once it is refused", async () => {
    const gateway = await startWith(chain)
    try {
      clouds.state.asked.length = 0
      clouds.state.seen.length = 0
      const ask = async () => {
        const answer = await request(gateway, "/v1/chat/completions", { body: hello })
        await answer.body?.cancel()
        return answer.status
      }
      const statuses = await Promise.all(Array.from({ length: 20 }, ask))
      expect(statuses, gateway.output()).toEqual(statuses.map(() => 200))
      const fetched = () => clouds.state.asked.filter((path) => path === asks).length
      expect(fetched()).toBe(asks === undefined ? 0 : 1)
      if (asks !== undefined) {
        clouds.revoke()
        expect(await ask()).toBe(200)
        expect(clouds.state.seen.slice(-2).map(({ status }) => status)).toEqual([403, 200])
        expect(fetched()).toBe(2)
      }
      expect(gateway.output()).not.toMatch(secrets)
    } finally {
      await gateway.dispose()
    }
  })
})

describe("credentials", () => {
  it.each([
    ["aws", { kind: "aws", ...fixed }, {}],
    ["google", { kind: "google", credentials_file: "account.json" }, { "account.json": JSON.stringify(account()) }]
  ])("of %s hold where this machine's clock is an hour off", async (_, auth, files) => {
    const gateway = await startWith({ auth, files })
    try {
      clouds.state.aheadMs = -3_600_000
      const first = await request(gateway, "/v1/chat/completions", { body: hello })
      expect(first.status, await first.text()).toBe(200)
      clouds.state.seen.length = 0
      expect((await request(gateway, "/v1/chat/completions", { body: hello })).status).toBe(200)
      // The correction is kept.
      expect(clouds.state.seen.map(({ status }) => status)).toEqual([200])
    } finally {
      clouds.state.aheadMs = 0
      await gateway.dispose()
    }
  })

  it("that can't be had are a failure of the upstream, told to the operator without secrets", async () => {
    const gateway = await startWith({
      auth: { kind: "azure", tenant_id: "tenant", client_id: "client", client_secret: "another-secret-0123456789" },
      env: { AZURE_AUTHORITY_HOST: clouds.url }
    })
    try {
      const answer = await request(gateway, "/v1/chat/completions", { body: hello })
      expect(answer.status).toBe(500)
      expect(await answer.text()).not.toContain("credentials")
      // The line is on its way from another process.
      await expect
        .poll(gateway.output)
        .toContain("no Azure credentials: the token service answers with status 401: invalid_client")
      expect(gateway.output()).toContain("upstreams.up.auth names credentials that can't be had")
      expect(gateway.output()).not.toContain("another-secret")
    } finally {
      await gateway.dispose()
    }
  })
})
