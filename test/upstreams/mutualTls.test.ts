import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { surfaceOf } from "../../src/config/providers/surfaces.ts"
import { Settings } from "../../src/config/Settings.ts"
import { callUpstream, defaultDeadlines } from "../../src/upstreams/calls/client.ts"
import { endpointOptions } from "../../src/upstreams/configured/fromSettings.ts"
import { freePort } from "../freePort.ts"

const nginx = ["/usr/sbin/nginx", "/usr/local/bin/nginx"].find((path) => existsSync(path))
if (nginx === undefined) console.log("skipped: test/upstreams/mutualTls.test.ts, there is no nginx here")

const certificates = resolve(import.meta.dirname, "../http/certificates")
const [cert, key] = [join(certificates, "first.crt"), join(certificates, "first.key")]

describe.skipIf(nginx === undefined)("an upstream behind nginx that asks for a certificate", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-mtls-"))
  let server: ReturnType<typeof Bun.spawn>
  let url: string

  beforeAll(async () => {
    const port = freePort()
    url = `https://127.0.0.1:${port}`
    mkdirSync(join(folder, "logs"))
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${cert}; ssl_certificate_key ${key};
    ssl_client_certificate ${cert}; ssl_verify_client on;
    location / { return 200 "$ssl_client_verify"; }
  }
}`
    )
    server = Bun.spawn([nginx ?? "", "-p", folder, "-c", join(folder, "nginx.conf")], { stderr: "ignore" })
    while (
      !(await fetch(url, { tls: { rejectUnauthorized: false } }).then(
        () => true,
        () => false
      ))
    )
      await Bun.sleep(20)
  })
  afterAll(async () => {
    server.kill()
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (tls: string) => {
    const path = join(folder, "gateway.yaml")
    writeFileSync(path, `upstreams: { up: { protocol: openai-chat, base_url: "${url}/v1"${tls} } }`)
    const settings = await Effect.runPromise(
      Effect.provide(Settings, Settings.from({ GATEWAY_CONFIG: path })).pipe(Effect.either)
    )
    if (Either.isLeft(settings)) return settings.left.message.replace(`${path}:1: `, "")
    const entry = settings.right.file.value.upstreams?.["up"]
    if (entry === undefined) throw new Error("there is no upstream")
    const { tls: given } = endpointOptions(Either.getOrThrow(surfaceOf(entry)), undefined, undefined)
    const answer = await Effect.runPromise(
      Effect.either(callUpstream({ method: "GET", url, headers: {}, deadlines: defaultDeadlines, tls: given }))
    )
    return Either.isLeft(answer) ? answer.left.said : [answer.right.status, await answer.right.text(1_000)]
  }

  it("is reached with `tls`, and not without its authority or the gateway's certificate", async () => {
    expect(await ask("")).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/)
    expect(await ask(`, tls: { ca: ${cert} }`)).toEqual([400, expect.stringContaining("No required SSL certificate")])
    expect(await ask(`, tls: { ca: ${cert}, cert: ${cert}, key: ${key} }`)).toEqual([200, "SUCCESS"])
  })

  it("is refused with files that are none, or a certificate without its key", async () => {
    expect(await ask(", tls: { ca: nowhere.pem }")).toBe(
      "upstreams.up.tls.ca: the file nowhere.pem can't be read (ENOENT)"
    )
    expect(await ask(", tls: { ca: gateway.yaml }")).toBe("upstreams.up.tls.ca: the file gateway.yaml is no PEM file")
    expect(await ask(`, tls: { cert: ${cert} }`)).toBe("upstreams.up.tls: expected cert and key together")
  })
})
