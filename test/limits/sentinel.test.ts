import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Option, Redacted } from "effect"
import type { Sentinel } from "../../src/config/sections/Redis.ts"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { RedisConnection } from "../../src/limits/RedisConnection.ts"
import { redisPlaces } from "../../src/limits/redisPlaces.ts"
import { RedisUrl } from "../../src/limits/RedisUrl.ts"
import { runCommand } from "../e2e/command.ts"
import { fakeSentinel } from "./fakeSentinel.ts"
import { withoutRedis } from "./redisServer.ts"
import { redisPassword, startSentinels } from "./sentinels.ts"
import type { SentinelledRedis } from "./sentinels.ts"

const gatewayWith = (sentinel: Sentinel) =>
  Layer.fresh(Limits.Default).pipe(
    Layer.provide(Daemons.Default),
    Layer.provide(Layer.succeed(RedisUrl, Option.some(sentinel))),
    Layer.build,
    Effect.map(Context.get(Limits))
  )

const countsIn = (limits: Limits, where: string) =>
  Effect.repeat(
    Effect.delay(
      Effect.sync(() => limits.countedWhere()),
      "20 millis"
    ),
    { until: (now) => now === where }
  )

describe.skipIf(withoutRedis("test/limits/sentinel.test.ts"))("a Redis behind sentinels", () => {
  let redis: SentinelledRedis
  beforeAll(async () => {
    redis = await startSentinels()
  }, 120_000)
  afterAll(() => redis.dispose())

  const sentinel = (change: Partial<Sentinel> = {}): Sentinel => ({
    hosts: redis.hosts,
    name: "limits",
    password: Redacted.make(redisPassword),
    ...change
  })

  const connected = (given: Sentinel) =>
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new RedisConnection(
            redisPlaces(given),
            (call) => call,
            () => undefined
          )
      ),
      (connection) => Effect.sync(() => connection.close())
    ).pipe(Effect.tap((connection) => connection.open))

  const portOf = (connection: RedisConnection) =>
    Effect.map(
      Effect.promise(() => connection.send("INFO", ["server"])),
      (info) => Number(/tcp_port:(\d+)/.exec(String(info))?.[1])
    )

  const replica = Effect.map(
    Effect.promise(() => redis.master()),
    (master) => redis.ports.find((port) => port !== master) ?? 0
  )

  it.scopedLive("is found behind sentinels that lie, each asked before a true one", () =>
    Effect.gen(function* () {
      const other = yield* replica
      // Takes writes, and loses them.
      yield* Effect.promise(() => redis.send(other, "CONFIG", ["SET", "replica-read-only", "no"]))
      const bulk = (...texts: ReadonlyArray<string>) =>
        [`*${texts.length}`, ...texts.flatMap((text) => [`$${text.length}`, text]), ""].join("\r\n")
      const lies = {
        "a replica": bulk("127.0.0.1", String(other)),
        "nobody's port": bulk("127.0.0.1", "1"),
        "a port that is none": bulk("127.0.0.1", "99999"),
        "port 0": bulk("127.0.0.1", "0"),
        "another address": bulk("x@evil.example.com", "6379"),
        "a host that is none": bulk("a b", "6379"),
        "a name that is not found": bulk("nowhere.invalid", "6379"),
        "no port": bulk("127.0.0.1"),
        nothing: "*-1\r\n",
        "a number": ":1\r\n",
        "an error": "-IDONTKNOW no\r\n",
        garbage: "HTTP/1.1 400 Bad Request\r\n\r\n",
        silence: "",
        "half of it": "*2\r\n$40\r\nhal"
      }
      const [, ...truthful] = redis.hosts
      const found = yield* Effect.forEach(
        Object.entries(lies),
        ([what, lie]) =>
          Effect.gen(function* () {
            const liar = yield* fakeSentinel(lie)
            const connection = yield* connected(sentinel({ hosts: [liar, ...truthful] }))
            return [what, yield* portOf(connection)]
          }),
        { concurrency: "unbounded" }
      )
      const master = yield* Effect.promise(() => redis.master())
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(Object.keys(lies).map((what) => [what, master])))
      yield* Effect.promise(() => redis.send(other, "CONFIG", ["SET", "replica-read-only", "yes"]))
    })
  )

  it.scopedLive(
    "is followed when its master is demoted",
    () =>
      Effect.gen(function* () {
        const limits = yield* gatewayWith(sentinel())
        const caller = { ...Caller.unrestricted("a", "k"), keyLimits: { requestsPerMinute: 1_000 } }
        const before = yield* portOf(yield* connected(sentinel()))
        const poll = (call: () => Promise<unknown>, until: (answer: unknown) => boolean) =>
          Effect.repeat(Effect.delay(Effect.promise(call), "50 millis"), { until })
        // Refused until its replica has caught up.
        yield* poll(redis.failover, (answer) => answer !== undefined)
        yield* poll(
          () => redis.send(before, "INFO", ["replication"]),
          (info) => /role:slave/.test(String(info))
        )
        // It refuses writes now, which a request finds if its connection stayed.
        expect((yield* toEffect(() => limits.admit(caller))).refusal).toBeUndefined()
        yield* countsIn(limits, "redis")
        expect((yield* toEffect(() => limits.admit(caller))).refusal).toBeUndefined()
        expect(limits.countedWhere()).toBe("redis")
        expect(yield* portOf(yield* connected(sentinel()))).not.toBe(before)
      }),
    60_000
  )

  // After this there is no replica.
  it.scopedLive(
    "is found, though the first sentinel is gone, and followed when its master is killed",
    () =>
      Effect.gen(function* () {
        const limits = yield* gatewayWith(sentinel())
        expect(limits.countedWhere()).toBe("redis")
        const before = yield* portOf(yield* connected(sentinel()))
        expect(redis.ports).toContain(before)
        const caller = { ...Caller.unrestricted("a", "k"), keyLimits: { requestsPerMinute: 1_000 } }
        yield* Effect.promise(() => redis.kill(before))
        yield* countsIn(limits, "process while redis is away")
        // Requests go on meanwhile.
        expect((yield* toEffect(() => limits.admit(caller))).refusal).toBeUndefined()
        yield* countsIn(limits, "redis")
        const after = yield* portOf(yield* connected(sentinel()))
        expect(redis.ports).toContain(after)
        expect(after).not.toBe(before)
      }),
    120_000
  )

  for (const [what, change] of [
    ["a wrong password", { password: Redacted.make("wrong") }],
    ["no password", { password: undefined }],
    ["another name", { name: "other" }],
    ["a sentinel at a port that is none", { hosts: ["127.0.0.1:99999"] }],
    ["sentinels that are away", { hosts: ["127.0.0.1:1", "127.0.0.1:2"] }]
  ] satisfies ReadonlyArray<readonly [string, Partial<Sentinel>]>) {
    it.scopedLive(`with ${what} is away, and the log says so without the password`, () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const log = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void lines.push(String(message)))
        )
        const limits = yield* Effect.provide(gatewayWith(sentinel(change)), log)
        expect(limits.countedWhere()).toBe("process while redis is away")
        const name = change.name ?? "limits"
        expect(lines.join("\n")).toContain(`no sentinel names a master "${name}" that answers and takes writes`)
        expect(lines.join("\n")).not.toMatch(/wrong|p@ss/)
      })
    )
  }
})

const limited = { user: "limits", password: "p@ss:limits" }
const finding = { user: "finder", password: "p@ss:finder" }

describe.skipIf(withoutRedis("test/limits/sentinel.test.ts"))(
  "a Redis behind sentinels that speak TLS, with users",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-authority-"))
    const [cert, key] = [join(folder, "own.crt"), join(folder, "own.key")]
    let redis: SentinelledRedis
    beforeAll(async () => {
      const made = Bun.spawnSync(
        `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=redis -addext subjectAltName=IP:127.0.0.1 -out ${cert} -keyout ${key}`.split(
          " "
        )
      )
      expect([made.exitCode, made.exitCode === 0 ? "" : made.stderr.toString()]).toEqual([0, ""])
      redis = await startSentinels({
        tls: { cert, key, ca: cert },
        users: {
          // It may not ask for the role.
          redis: `user ${limited.user} on >${limited.password} ~gateway:* +@all -@admin -@dangerous`,
          sentinels: `user ${finding.user} on >${finding.password} +sentinel|get-master-addr-by-name`
        }
      })
    }, 120_000)
    afterAll(async () => {
      await redis.dispose()
      rmSync(folder, { recursive: true, force: true })
    })

    const saidOf = async (yaml: string, env: Record<string, string>) => {
      writeFileSync(join(folder, "gateway.yaml"), `redis: { sentinel: ${yaml} }\n`)
      const { json } = await runCommand(folder, ["doctor", "--json"], { GATEWAY_PORT: "1", ...env })
      const { findings } = json<{ findings: ReadonlyArray<{ check: string; message: string }> }>()
      return findings.find(({ check }) => check === "redis")?.message
    }

    it("takes writes, if who signed for it is known", async () => {
      const given = (change: object = {}) =>
        JSON.stringify({
          hosts: redis.hosts,
          name: "limits",
          tls: true,
          username: limited.user,
          password: limited.password,
          sentinel_username: finding.user,
          sentinel_password: finding.password,
          ...change
        })
      const authority = { NODE_EXTRA_CA_CERTS: cert }
      const outcomes = {
        all: await saidOf(given(), authority),
        "no authority": await saidOf(given(), {}),
        "the sentinels' password for Redis": await saidOf(given({ password: finding.password }), authority),
        "no TLS": await saidOf(given({ tls: false }), authority)
      }
      const away = 'no sentinel names a master "limits" that answers and takes writes'
      expect(outcomes).toEqual({
        all: "accepts writes",
        "no authority": away,
        "the sentinels' password for Redis": "refuses the user or the password",
        "no TLS": away
      })
    }, 120_000)
  }
)
