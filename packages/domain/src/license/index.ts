/**
 * The license: the uploaded one or a built-in one, and nothing is ever refused for lack of another
 * (docs/reference/cluster-and-configuration.md, "License").
 */
export { communityOnly, listLicenses, refuseContact, removeLicense, uploadLicense } from './service.ts'
