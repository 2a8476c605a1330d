/** The names of the contracts, as configurations write them. */
export const contractNames = ['apb', 'brokerpak', 'cnab', 'sim', 'toi', 'tweed'] as const
export type ContractName = (typeof contractNames)[number]
