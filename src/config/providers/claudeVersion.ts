/**
 * The version in a Claude model's id: 4.5 of `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, 3.7 of `claude-3-7-sonnet`.
 * An id without one counts as the newest: Infinity.
 */
export const claudeVersion = (model: string): number => {
  const [, major, minor = "0"] = early.exec(model) ?? late.exec(model) ?? []
  return major === undefined ? Infinity : Number(major) + Number(minor) / 10
}

const early = /claude-(\d)(?:[-.](\d))?-[a-z]/
const late = /claude-[a-z]+-(\d)(?:[-.](\d{1,2})(?!\d))?/
