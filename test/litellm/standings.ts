import { runCommand } from "../commandHere.ts"

/** A budget's limit and use, in nano-dollars. */
interface Standing {
  readonly most: number
  readonly used: number
}

interface Listed {
  readonly account: string
  readonly key_name: string | null
  readonly budget: {
    readonly usd?: number | string
    readonly used: number
    readonly each?: string
    readonly models?: unknown
  } | null
}

const nano = (usd: unknown) => Math.round(Number(usd) * 1e9)

/** The gateway's budgets of accounts and keys, by their names. */
export const standings = async (folder: string): Promise<ReadonlyMap<string, Standing>> => {
  const { json } = await runCommand(folder, ["budgets", "--json"])
  const all: ReadonlyArray<Listed> = json()
  return new Map(
    all.flatMap(({ account, budget, key_name }) =>
      budget === null || budget.each !== undefined || budget.models !== undefined
        ? []
        : [[key_name ?? account, { most: nano(budget.usd), used: nano(budget.used) }] as const]
    )
  )
}

/** What LiteLLM's database says of the same. */
export const settled = async (rows: Bun.SQL): Promise<ReadonlyMap<string, Standing>> => {
  const found: ReadonlyArray<{ owner: string; max_budget: number; spend: number }> = await rows.unsafe(`
    SELECT regexp_replace(team_alias, '[^A-Za-z0-9._-]+', '-', 'g') AS owner, max_budget, spend
      FROM "LiteLLM_TeamTable" WHERE max_budget IS NOT NULL
    UNION ALL SELECT replace(user_email, '@', '-'), max_budget, spend FROM "LiteLLM_UserTable" WHERE max_budget IS NOT NULL
    UNION ALL SELECT t.key_alias, COALESCE(t.max_budget, b.max_budget), t.spend FROM "LiteLLM_VerificationToken" t
      LEFT JOIN "LiteLLM_BudgetTable" b USING (budget_id) WHERE COALESCE(t.max_budget, b.max_budget) IS NOT NULL
    UNION ALL SELECT 'key-09', b.max_budget, m.spend FROM "LiteLLM_TeamMembership" m JOIN "LiteLLM_BudgetTable" b USING (budget_id)`)
  return new Map(found.map(({ max_budget, owner, spend }) => [owner, { most: nano(max_budget), used: nano(spend) }]))
}
