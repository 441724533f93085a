/**
 * Builds the image from the Dockerfile and runs it as platforms do: as its own user and as one that a platform chose, on a
 * read-only root file system; killed, and on the data of a former version.
 *
 *   bun run test:long image [--from 68959d31]
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { formerGateway } from "../../cluster/formerGateway.ts"
import { startGateway } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { smoke } from "../../e2e/smoke.ts"
import { freePort } from "../../freePort.ts"
import { buildImage, contained, debianFiles, run, userOf, withoutImages } from "./buildah.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-image-"))
chmodSync(folder, 0o711)
const started: Array<GatewayProcess> = []
process.on("exit", () => {
  for (const gateway of started) gateway.signal("SIGKILL")
  for (const one of [folder, ...started.map((gateway) => gateway.folder)]) rmSync(one, { recursive: true, force: true })
})
const skipped = withoutImages()
if (skipped !== undefined) console.log(`SKIPPED: test/deploy/image, ${skipped}`)
const debian = skipped === undefined ? await debianFiles(folder) : undefined
if (debian === undefined) process.exit(0)

const at = process.argv.indexOf("--from")
const from = at === -1 ? "68959d31" : (process.argv[at + 1] ?? "")
const begun = performance.now()
const expect = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`the image fails: ${what}`)
  console.log(`${Math.round((performance.now() - begun) / 1_000)} s  ok  ${what}`)
}
const isHere = (commit: string) =>
  Bun.spawnSync(["git", "cat-file", "-e", `${commit}^{commit}`], { cwd: import.meta.dirname }).exitCode === 0

const image = await buildImage(folder, debian)
const { config, files } = image
expect("the Dockerfile builds", true)
expect(
  "it says what it is",
  config.Labels["org.opencontainers.image.title"] === "Model Gateway" &&
    config.Labels["org.opencontainers.image.version"] === "1.2.3" &&
    config.StopSignal === "SIGTERM"
)
const listed = readFileSync(join(files, "usr/share/doc/gateway/gateway.cdx.json"), "utf8")
expect("it lists what is in it", listed.includes('"pkg:npm/effect@'))

const start = async (user: string, volume: string, env: Readonly<Record<string, string>> = {}) => {
  const port = String(freePort())
  const variables = { GATEWAY_PORT: port, GATEWAY_BOOTSTRAP_KEY: "bootstrap-key-of-the-image-0123", ...env }
  const command = [...config.Entrypoint, ...config.Cmd]
  const gateway = await startGateway({ command: contained(image, { user, volume, env: variables, command }) })
  started.push(gateway)
  const [, ...health] = config.Healthcheck.Test
  const isHealthy = async () =>
    (await Bun.spawn([...contained(image, { user, volume, env: variables, command: health })], { stderr: "ignore" })
      .exited) === 0
  return { ...gateway, url: `http://127.0.0.1:${port}`, key: variables.GATEWAY_BOOTSTRAP_KEY, isHealthy }
}
const volumeOf = async (name: string, user: string) => {
  const volume = join(folder, name)
  mkdirSync(volume)
  await run(["chown", userOf(user), volume])
  return volume
}

/** What a former version stored is there after it. */
const upgrade = async () => {
  const former = await formerGateway(join(folder, "former"), from)
  const old = await startGateway({ command: [process.execPath, former, "serve"] })
  const headers = { authorization: `Bearer ${old.key}`, "content-type": "application/json" }
  const body = JSON.stringify({ model: "sandbox-text", input: "Hello!" })
  const stored = await fetch(`${old.url}/v1/responses`, { method: "POST", headers, body })
  const { id } = (await stored.json()) as { id: string }
  old.signal("SIGTERM")
  await old.exited
  const volume = await volumeOf("upgraded", config.User)
  cpSync(join(old.folder, "data"), join(volume, "data"), { recursive: true })
  await run(["chown", "-R", userOf(config.User), volume])
  await old.dispose()
  const upgraded = await start(config.User, volume)
  const found = await fetch(`${upgraded.url}/v1/responses/${id}`, { headers })
  const text = await found.text()
  expect(`on the data of ${from} it has what was stored there`, found.status === 200 && text.includes(id))
  upgraded.signal("SIGTERM")
  expect("SIGTERM ends it with 0", (await upgraded.exited) === 0)
}

for (const user of [config.User, "123456:0"]) {
  const volume = await volumeOf(user.replace(":", "-"), user)
  const first = await start(user, volume)
  await smoke(first.url, first.key, (what, holds) => expect(`as ${user}: ${what}`, holds))
  expect(`as ${user}: its health check passes`, await first.isHealthy())
  first.signal("SIGKILL")
  await first.exited
  expect(`as ${user}: its health check fails once it was killed`, !(await first.isHealthy()))
  const second = await start(user, volume)
  const models = await fetch(`${second.url}/v1/models`, { headers: { authorization: `Bearer ${second.key}` } })
  expect(`as ${user}: killed, it goes on with its data`, models.status === 200)
  second.signal("SIGTERM")
  expect(`as ${user}: SIGTERM ends it with 0`, (await second.exited) === 0)
  const [owner] = (await run(["stat", "-c", "%u", join(volume, "data/gateway.db")])).split("\n")
  expect(`as ${user}: its data is its own`, owner === user.split(":")[0])
}

if (!isHere(from)) console.log(`SKIPPED: the upgrade, there is no commit ${from} here`)
else await upgrade()
