import Carillon
import CarillonAccounts

func use(_ client: CarillonClient) async throws -> Account? { try await client.account.refresh() }
