import Carillon
import CarillonAccounts

/// Accounts at the Carillon server.
struct CarillonPeople: Accounts {
    let client: CarillonClient

    func refresh() async throws(Failure) -> Person? {
        try await withFailure { () async throws(CarillonError) in
            try await client.account.refresh().map(Person.init)
        }
    }

    func current() async -> Person? { (try? client.account.current).map(Person.init) }

    func signUp(name: String, password: String) async throws(Failure) -> Person {
        try await begin { () async throws(CarillonError) in
            try await client.account.signUp(name: name, password: password)
        }
    }

    func signIn(name: String, password: String) async throws(Failure) -> Person {
        try await begin { () async throws(CarillonError) in
            try await client.account.signIn(name: name, password: password)
        }
    }

    func signOut() async throws(Failure) {
        try await withFailure { () async throws(CarillonError) in try await client.account.signOut() }
    }

    /// Signs in, and makes the phone known to the server: what the person follows belongs to it.
    private func begin(_ body: () async throws(CarillonError) -> Account) async throws(Failure) -> Person {
        let account = try await withFailure(body)
        // Without a network it is done later.
        _ = try? await client.register()
        return Person(account)
    }
}

extension Person {
    fileprivate init(_ account: Account) {
        self.init(displayName: account.displayName, isGuest: account.isGuest)
    }
}
