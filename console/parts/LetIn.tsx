import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { actingIn } from "../actingIn.ts"
import { Refused } from "../client.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { words } from "../words/words.ts"
import { Button } from "./Button.tsx"
import { Select } from "./fields.tsx"
import { useField } from "./form.ts"
import { Part } from "./states.tsx"

const text = words.device

/** A person's decision about a program. */
export type Decision = { readonly approve: true; readonly account: string } | { readonly approve: false }

interface LetInProps {
  /** The program, as far as it is known. */
  readonly children: ComponentChildren
  readonly decide: (decision: Decision) => Promise<void>
}

/** A program, the account that pays for it, and the two answers. */
export const LetIn = ({ children, decide }: LetInProps) => {
  const { catalogue, session } = useApp()
  const complaint = useSignal("")
  const isRunning = useSignal(false)
  const account = useField(actingIn.account() ?? session.accounts?.[0])
  const accounts = useData(async () => session.accounts ?? (await catalogue.accounts()).map(({ id }) => id))
  const say = async (decision: Decision) => {
    isRunning.value = true
    try {
      await decide(decision)
    } catch (error) {
      complaint.value = error instanceof Refused ? error.message : words.failed.unknown
    } finally {
      isRunning.value = false
    }
  }
  return (
    <Part of={accounts} what={text.account}>
      {(ids) => {
        const chosen = account.value.value === "" ? (ids[0] ?? "") : account.value.value
        return (
          <>
            {children}
            {ids.length === 0 ? (
              <p class="note warn">{text.noAccount}</p>
            ) : (
              <Select
                id="account"
                label={text.account}
                hint={text.accountHint}
                of={account}
                choices={ids.map((id) => [id, id] as const)}
              />
            )}
            <Complaint of={complaint.value} />
            <div class="actions">
              <Button
                look="primary"
                disabled={isRunning.value || ids.length === 0}
                onClick={() => void say({ approve: true, account: chosen })}
              >
                {text.approve}
              </Button>
              <Button disabled={isRunning.value} onClick={() => void say({ approve: false })}>
                {text.deny}
              </Button>
            </div>
          </>
        )
      }}
    </Part>
  )
}

export const Complaint = ({ of }: { readonly of: string }) => (
  <p class="field-error" role="alert" hidden={of === ""}>
    {of}
  </p>
)
