import Carillon
import CarillonContent

func use(_ client: CarillonClient) async throws -> [ContentFollow] {
    try await client.content.storedFollows(in: "events").follows
}
