/** Generated documents in which the passes of the original show: what comes out here instead, and why. docs/languages/spiff.md tells. */
import { type Decision, fails, type Reason, yields } from './decision.ts'

const tagSeen: Reason = {
  why: 'D6: a tag is seen wherever it stands; in the original a fallback may fire in a pass before the tag is set',
  told: 'A tag is seen here wherever it stands',
}
const leftOver: Reason = {
  why: 'partial: what is left of a place with markers hangs on the pass in which the original found it open; the measurements leave that as an open question, too',
  told: 'What is left in the stubs of a partial run of places with markers hangs there on the pass',
}
const dumped: Reason = {
  why: 'D10: the original prints insides of Go where an instance of a template is left over',
  told: 'where an instance of a template is left over, the original prints insides of Go',
}
const taken: Reason = {
  why: 'D6: a place whose tag is taken has failed, so what refers to it is left open and no fallback fires',
  told: 'what refers to a place whose tag is taken is left open',
}
const nothing: Reason = {
  why: 'a dynamic template that injects what no stub has yields nothing, which is no failure',
  told: 'one that merges nothing is null',
}
const whereUsed: Reason = {
  why: 'a dynamic template is instantiated with the values of the level that uses it, after stubs changed them; the original may take those of an earlier pass',
  told: 'A dynamic template is instantiated with the values of the level that uses it',
}
const endless: Reason = {
  why: "a dynamic template that merges itself has no end, which is a budget's fault; the original stops after a pass that changes nothing",
  told: 'One that merges itself without end ends at a budget',
}
const takenTwice: Reason = {
  why: "which of the places of one tag is at fault hangs on the order of the original's passes; one of them is told",
  told: 'Of two places with one tag one is told',
}
const emptied: Reason = {
  why: 'an insert that fails below a merge for the whole map or list counts; the original may drop what is below before it gets there, or stop at the stub',
  told: 'An insert that fails below another one counts here',
}
const ownPlace: Reason = {
  why: 'stub() in a list fails at its own place, whatever else is spliced into the list; the measurements leave that as an open question, too',
  told: '`stub()` in a list fails at its own place',
}

export const shownPasses: Readonly<Record<string, Decision>> = {
  'differential-markers.json: markers 0123': { reason: tagSeen, outcome: yields('f0:\n- 1\n- 1\nf3:\n  a: 2\nf4: m\ntp:\n  <<: (( &inject &template ))\n  a: (( v + 1 ))\n  b: s\n  c: (( v + 1 ))\nu0:\n  b: 1\n  c: s\n  q: 1\nu1:\n  a: 2\nv: 1\n') },
  'differential-markers.json: markers 0331': { reason: leftOver, outcome: yields('dt: 36\nf1:\n  a: 35\nf3: 7\ntp:\n  a: 2\nv: 35\n') },
  'differential-markers.json: markers 0402': { reason: dumped, outcome: yields('dt: 15\nf0:\n  a: (( v ))\nf1: 15\nf3:\n  <<: (( &dynamic ((merge || ~)) ))\n  c: (( &template(|x|->x + v) ))\nf4:\n  a: 1\ntp:\n  <<: (( &local &template ))\n  a: null\n  b: 1\n  c: (( v ))\nv: 15\n') },
  'differential-markers.json: markers 0426': { reason: leftOver, outcome: yields('f0:\n- 7\n- 1\nf1:\n  b:\n  - 7\n  c: 7\nf3: (( &template &dynamic ((v + 1)) ))\nf4:\n- 7\n- 1\ntp:\n  <<: (( &temporary &template ))\nu0:\n  q: 1\nv: 7\n') },
  'differential-markers.json: markers 0475': { reason: leftOver, outcome: yields('f1:\n  <<: (( &dynamic ((merge || ~)) ))\n  a:\n    z: (( v ))\n  b: (( merge || 2 ))\nf4:\n- 24\n- 1\ntp: {}\nu0:\n  v: 50\n  x:\n    b: 1\nv: 24\n') },
  'differential-markers.json: markers 0548': { reason: tagSeen, outcome: yields('f2:\n  <<: (( &inject &template ))\n  a: (( v ))\n  b: (( merge || 2 ))\n  c: (( v + 1 ))\nf3:\n  b: 32\nu1: null\nv: 32\n') },
  'differential-markers.json: markers 0569': { reason: nothing, outcome: yields('f1:\n  <<: (( &template(merge || ~) ))\n  a: s\n  b: s\nf3: null\nf4:\n  "n":\n    a: s\n    b: 1\n    c: 2\n  v: 1\ntp:\n  a: 2\n  b:\n  - 13\nv: 13\n') },
  'differential-markers.json: markers 0625': { reason: whereUsed, outcome: yields('f0: null\nf1: m\nf2:\n- 22\n- 1\nf3:\n- 22\n- 1\ntp:\n  <<: (( &template ))\nv: 22\n') },
  'differential-markers.json: markers 0800': { reason: dumped, outcome: yields('f0: 3\nf2: m\nf4:\n  <<: (( &inject &template(merge || ~) ))\n  b: (( merge || 2 ))\n  c:\n  - (( v ))\ntp:\n  <<: (( &local &template ))\nv: 7\n') },
  'differential-markers.json: markers 0885': { reason: taken, outcome: yields('dt: 15\nf1:\n- 14\n- 1\nf2:\n- 14\n- 1\nf3:\n  a: 14\n  c: 1\nf4: m\ntp:\n  <<: (( &local &template ))\n  a: (( v ))\n  c: (( &temporary(7) ))\nu0: (( .f2(1) || 0 ))\nu1:\n- a: 1\n  c: 7\n- a: 2\n  c: 7\nv: 14\n') },
  'differential-markers.json: markers 0950': { reason: takenTwice, outcome: { failing: [['stub2', 'f2', '*']] } },
  'differential-merging.json: merging 0114': { reason: emptied, outcome: { failing: [['template', 'b.d.d.key', '*'], ['template', 'b.name.<<<', '*'], ['template', 'b.d.a.b', '@'], ['template', 'd.[0]', '@']] } },
  'differential-merging.json: merging 0176': { reason: emptied, outcome: { failing: [['stub1', 'a.[1].v', '*'], ['stub1', 'd.[1].v.<<', '*'], ['stub1', 'd.[0].v.a', '@']] } },
  'differential-merging.json: merging 0319': { reason: ownPlace, outcome: { failing: [['template', 'a.[1]', '*'], ['template', 'b.[0].w', '*'], ['template', 'c.key.d.d', '*'], ['template', 'c.key.key', '*'], ['template', 'c.key.name.b', '*'], ['template', 'c.key.d.key', '@']] } },
  'differential-tags.json: tags 0125': { reason: takenTwice, outcome: { failing: [['template', 'r1', '*']] } },
  'differential-tags.json: tags 0163': { reason: takenTwice, outcome: { failing: [['template', 'r1', '*']] } },
  'differential-markers.json: markers 0629': { reason: endless, outcome: { ...fails, stepsMax: 5_000 } },
}
