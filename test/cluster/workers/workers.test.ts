import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { runCommand } from "../../e2e/command.ts"
import { startGateway, testKey } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { program } from "../../e2e/program.ts"
import { engines } from "../../sql/engines.ts"
import { KeepingClient } from "./keepingClient.ts"

const postgres = engines.find(({ name }) => name === "postgres")

describe("with SQLite", () => {
  it("one process serves, and says so when asked for more", async () => {
    const gateway = await startGateway({ env: { GATEWAY_WORKERS: "3" } })
    expect(gateway.output()).toContain("one process serves instead of 3")
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    expect(childrenOf(gateway.pid)).toEqual([])
    await gateway.dispose()
  })
})

describe.skipIf(postgres === undefined)("workers", () => {
  const scope = Effect.runSync(Scope.make())
  let url: string
  let gateway: GatewayProcess
  beforeAll(async () => {
    if (postgres !== undefined) url = await Effect.runPromise(Scope.extend(postgres.url, scope))
  })
  // Those that were killed are there until they are found dead: they serve together with the next.
  const shared = () => ({ GATEWAY_DATABASE_URL: url, GATEWAY_SECRET: "the-secret-of-all-of-these-gateways" })
  const start = async (
    workers = 2,
    env: Readonly<Record<string, string>> = {},
    command: ReadonlyArray<string> = [...program(), "serve"]
  ) => {
    gateway = await startGateway({
      command,
      env: { ...shared(), GATEWAY_WORKERS: String(workers), GATEWAY_METRICS: "true", ...env }
    })
    while (!gateway.output().includes(`${workers} workers serve`)) await Bun.sleep(20)
    return gateway
  }
  const end = async () => {
    const left = childrenOf(gateway.pid)
    await gateway.dispose()
    // Those whose supervisor has died end by themselves.
    while (left.some(isThere)) await Bun.sleep(20)
  }
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const body = JSON.stringify({ model: "sandbox-text", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] })
  const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" }
  /** On a connection of its own. */
  const ask = (more: RequestInit = {}) =>
    fetch(`${gateway.url}/v1/messages`, { method: "POST", headers, body, keepalive: false, ...more })
  const counted = async (metric: string): Promise<number> => {
    const line = (await (await fetch(`${gateway.url}/metrics`)).text())
      .split("\n")
      .find((line) => line.startsWith(`${metric} `))
    return Number(line?.split(" ").at(-1) ?? 0)
  }
  const clients = (count: number) => {
    const all = Array.from(
      { length: count },
      () => new KeepingClient(Number(new URL(gateway.url).port), "/v1/messages", headers, body)
    )
    const ends = Promise.all(all.map((client) => client.run()))
    return {
      answers: () => all.reduce((sum, { seen }) => sum + seen.answers, 0),
      stop: async () => {
        for (const client of all) client.stop()
        return (await ends).flatMap(({ failures }) => failures)
      }
    }
  }

  describe("of one gateway", () => {
    beforeAll(async () => {
      await start()
    })
    afterAll(end)

    it("serve one port together: one greeting, one log, one page of metrics", async () => {
      expect(childrenOf(gateway.pid)).toHaveLength(2)
      const answers = await Promise.all(Array.from({ length: 60 }, async () => (await ask()).status))
      expect(new Set(answers)).toEqual(new Set([200]))
      const requests = 'gateway_requests_total{route="POST /v1/messages",status="200"}'
      expect(await counted(requests)).toBe(60)
      expect(await counted('gateway_request_seconds_count{route="POST /v1/messages"}')).toBe(60)
      expect(await counted("gateway_workers")).toBe(2)
      expect(gateway.output().match(/listens on/g)).toHaveLength(1)
      const logged = () =>
        gateway
          .output()
          .split("\n")
          .filter((line) => line.includes('"event":"request"') && line.includes("/v1/messages"))
      await expect.poll(() => logged().length).toBe(60)
      for (const line of logged()) expect(JSON.parse(line)).toMatchObject({ status: 200, method: "POST" })
    })

    it("keep a second gateway off their port", async () => {
      const port = new URL(gateway.url).port
      for (const workers of ["1", "2"]) {
        const second = await runCommand(gateway.folder, ["serve", "--workers", workers], {
          ...shared(),
          GATEWAY_PORT: port,
          ...(workers === "1" ? { GATEWAY_DATABASE_URL: "sqlite::memory:" } : {})
        })
        expect([second.code, second.out + second.err]).toEqual([1, expect.stringContaining("the port is in use")])
      }
    })

    it("that can't begin are the gateway's failure", async () => {
      const failed = await runCommand(gateway.folder, ["serve", "--workers", "2"], {
        GATEWAY_PORT: "0",
        GATEWAY_DATABASE_URL: url.replace(/\/[^/]+$/, "/nowhere")
      })
      expect([failed.code, failed.out + failed.err]).toEqual([1, expect.stringContaining("no such database")])
    })

    it("are replaced when they die, and what they counted stays counted", async () => {
      const before = childrenOf(gateway.pid)
      const requests = 'gateway_requests_total{route="POST /v1/messages",status="200"}'
      const counts = (await counted(requests)) + 40
      await Promise.all(Array.from({ length: 40 }, async () => (await ask()).text()))
      expect(await counted(requests)).toBe(counts)
      const [victim = 0] = before
      const busy = clients(6)
      await expect.poll(() => busy.answers()).toBeGreaterThan(50)
      process.kill(victim, "SIGKILL")
      // It is gone once it is buried.
      await expect.poll(() => gateway.output()).toContain('"event":"worker.ended"')
      // A request now finds a live one.
      for (let n = 0; n < 50; n++) expect((await ask()).status).toBe(200)
      await expect.poll(() => childrenOf(gateway.pid).length).toBe(2)
      expect(childrenOf(gateway.pid)).not.toContain(victim)
      const failures = await busy.stop()
      // Those that were open at the one that died, and that knocked there once more before it was buried.
      expect(failures.length).toBeLessThanOrEqual(12)
      await expect.poll(() => counted("gateway_workers_replaced_total")).toBe(1)
      expect(await counted(requests)).toBeGreaterThanOrEqual(counts)
    })

    it("that stand still are found, and replaced", async () => {
      const [victim = 0] = childrenOf(gateway.pid)
      process.kill(victim, "SIGSTOP")
      await expect.poll(() => gateway.output()).toContain('"event":"worker.stuck"')
      await expect.poll(() => childrenOf(gateway.pid).filter((pid) => pid !== victim).length).toBe(2)
      for (let n = 0; n < 20; n++) expect((await ask()).status).toBe(200)
    })
  })

  describe("of a gateway that ends, or replaces them", () => {
    afterEach(end)

    it("are replaced one after the other on SIGUSR2, and no client notices", async () => {
      await start()
      let before = childrenOf(gateway.pid)
      const busy = clients(8)
      const stream = await ask({ body: streamOf(40) })
      for (let round = 0; round < 2; round++) {
        // As `systemctl kill` does it: to all of its processes.
        for (const worker of before) process.kill(worker, "SIGUSR2")
        gateway.signal("SIGUSR2")
        const former = before
        await expect
          .poll(() => {
            before = childrenOf(gateway.pid)
            return before.length === 2 && before.every((pid) => !former.includes(pid))
          })
          .toBe(true)
      }
      expect(await busy.stop()).toEqual([])
      expect(busy.answers()).toBeGreaterThan(100)
      expect(await stream.text()).toContain("message_stop")
    })

    it("are replaced by the program that was installed since", async () => {
      const folder = mkdtempSync(join(tmpdir(), "gateway-workers-"))
      const [runtime, ...args] = program()
      const installed = join(folder, "runtime")
      copyFileSync(runtime, installed)
      await start(2, {}, [installed, ...args, "serve"])
      const former = childrenOf(gateway.pid)
      // While it is being installed there may be nothing.
      rmSync(installed)
      gateway.signal("SIGUSR2")
      await expect.poll(() => gateway.output().match(/a worker was not replaced/g)).toHaveLength(2)
      const other = join(folder, "other")
      writeFileSync(other, `#!/bin/sh\nexport INSTALLED=since\nexec ${runtime} "$@"\n`, { mode: 0o755 })
      renameSync(other, installed)
      gateway.signal("SIGUSR2")
      await expect.poll(() => former.filter(isThere)).toEqual([])
      const successors = childrenOf(gateway.pid).filter((pid) => !former.includes(pid))
      expect(successors).toHaveLength(2)
      for (const pid of successors) expect(environmentOf(pid)).toContain("INSTALLED=since")
      expect((await ask()).status).toBe(200)
      expect(gateway.output().match(/a worker was not replaced/g)).toHaveLength(2)
      rmSync(folder, { recursive: true })
    })

    it("share the operators' address too, and never mix it with the public one", async () => {
      await start(2, { GATEWAY_ADMIN_PORT: "0" })
      const { adminUrl } = gateway
      expect(gateway.output().match(/For operators alone: /g)).toHaveLength(1)
      const status = (at: string) => fetch(`${at}/metrics`, { keepalive: false }).then(({ status }) => status, String)
      const asked = { isOn: true, answers: 0, wrong: new Array<string>() }
      const keepAsking = async () => {
        while (asked.isOn) {
          const answers = await Promise.all([adminUrl, adminUrl, gateway.url, gateway.url].map(status))
          if (answers.join() !== "200,200,404,404") asked.wrong.push(answers.join())
          asked.answers++
        }
      }
      const asking = keepAsking()
      await expect.poll(() => asked.answers).toBeGreaterThan(10)
      const former = childrenOf(gateway.pid)
      gateway.signal("SIGUSR2")
      await expect
        .poll(() => {
          const now = childrenOf(gateway.pid)
          return now.length === 2 && now.every((pid) => !former.includes(pid))
        })
        .toBe(true)
      asked.isOn = false
      await asking
      expect(asked.wrong).toEqual([])
      const second = await runCommand(gateway.folder, ["serve", "--workers", "2"], {
        ...shared(),
        GATEWAY_PORT: "0",
        GATEWAY_ADMIN_PORT: new URL(adminUrl).port
      })
      expect([second.code, second.out + second.err]).toEqual([
        1,
        expect.stringContaining("(server.admin): the port is in use")
      ])
    })

    it("all end what runs on SIGTERM", async () => {
      await start()
      const streams = await Promise.all([1, 2, 3, 4].map(() => ask({ body: streamOf(30) })))
      const workers = childrenOf(gateway.pid)
      gateway.signal("SIGTERM")
      for (const stream of streams) expect(await stream.text()).toContain("message_stop")
      expect(await gateway.exited).toBe(0)
      expect(workers.filter(isThere)).toEqual([])
    })

    it("end by themselves when their supervisor is gone, and what runs there ends before", async () => {
      await start()
      const workers = childrenOf(gateway.pid)
      const stream = await ask({ body: streamOf(60) })
      gateway.signal("SIGKILL")
      await gateway.exited
      expect(await stream.text()).toContain("message_stop")
      await expect.poll(() => workers.filter(isThere)).toEqual([])
      const port = new URL(gateway.url).port
      const next = await startGateway({ env: { ...shared(), GATEWAY_PORT: port } })
      await next.dispose()
    })
  })
})

const streamOf = (tokens: number) =>
  JSON.stringify({
    model: "sandbox-text",
    stream: true,
    max_tokens: 100,
    messages: [{ role: "user", content: `[[sandbox: tokens=${tokens} pace=50ms]] go on` }]
  })

const environmentOf = (pid: number): string => readFileSync(`/proc/${pid}/environ`, "utf8")

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
    return text === "" ? [] : text.split(" ").map(Number)
  } catch {
    return []
  }
}

const isThere = (pid: number): boolean => {
  try {
    // One that is dead and not yet buried has no more memory.
    return readFileSync(`/proc/${pid}/statm`, "utf8") !== "0 0 0 0 0 0 0\n"
  } catch {
    return false
  }
}
