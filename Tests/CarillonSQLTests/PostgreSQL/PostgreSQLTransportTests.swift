import CarillonSQL
import Testing

struct PostgreSQLTransportTests {
    @Test(
        "S1-m9 a remote database with an unverified certificate has a warning",
        arguments: [
            ("postgres://db.example/shop", [:], true), ("postgres://db.example/shop?sslmode=require", [:], true),
            ("postgres://db.example/shop?sslmode=verify-full", [:], false),
            ("postgres://db.example/shop", ["PGSSLMODE": "verify-ca"], false),
            ("postgres://db.example/shop?sslmode=disable", ["PGSSLMODE": "verify-full"], true),
            ("postgres://localhost,db.example/shop", [:], true), ("postgres://127.0.0.1:5433/shop", [:], false),
            ("postgres:///shop?host=/run/postgresql", [:], false), ("postgres:///shop", [:], false),
            ("postgres:///shop", ["PGHOST": "db.example"], true), ("postgres://[::1]/shop", [:], false),
            ("postgres:///shop?hostaddr=10.0.0.7", [:], true),
        ]
    )
    func warns(_ target: String, _ environment: [String: String], _ isWarned: Bool) {
        #expect((PostgreSQLTransport(target, environment: environment).warning != nil) == isWarned)
    }

    @Test("The warning has the mode and never the URL")
    func saysWhatToDo() throws {
        let transport = PostgreSQLTransport("postgres://shop:hunter2@db.example/shop", environment: [:])
        let warning = try #require(transport.warning)
        #expect(warning.contains("sslmode=prefer") && warning.contains("sslmode=verify-full"))
        #expect(!warning.contains("hunter2"))
    }
}
