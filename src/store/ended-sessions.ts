/** Sessions of people that were ended before their time. */
import type { Session } from './database.ts'

/** Remembers the end until the session would be over anyway. */
export async function endSession(session: Session, id: string, until: number): Promise<void> {
  await session.send(
    'INSERT INTO ended_sessions (id, until) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
    id,
    until,
  )
}

/** Whether a session was ended. */
export async function isSessionEnded(session: Session, id: string): Promise<boolean> {
  return (await session.get('SELECT id FROM ended_sessions WHERE id = ?', id)) !== undefined
}
