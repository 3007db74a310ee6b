import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Authenticators and recovery codes.
extension OperatorTable {
    func removeAuthenticator(of id: OperatorID) throws {
        try connection.run(
            "UPDATE operators SET second_factor = NULL, second_factor_step = NULL WHERE id = $1",
            id
        )
    }

    /// Marks a step's code as used; false when it was, or a later one.
    func use(step: Int64, of id: OperatorID) throws -> Bool {
        try connection.run(
            """
            UPDATE operators SET second_factor_step = $1
            WHERE id = $2 AND second_factor IS NOT NULL AND (second_factor_step IS NULL OR second_factor_step < $1)
            """,
            step,
            id
        ) > 0
    }

    /// Uses a recovery code; false when there is none.
    func use(recoveryCode: SecretHash, of id: OperatorID) throws -> Bool {
        try connection.run(
            "DELETE FROM operator_recovery_codes WHERE operator_id = $1 AND code_hash = $2",
            id,
            recoveryCode
        ) > 0
    }

    /// Replaces the authenticator and the recovery codes.
    func setSecondFactor(_ sealed: [UInt8], step: Int64, recoveryCodes: [SecretHash], of id: OperatorID) throws {
        try connection.run(
            "UPDATE operators SET second_factor = $1, second_factor_step = $2 WHERE id = $3",
            sealed,
            step,
            id
        )
        try setRecoveryCodes(recoveryCodes, of: id)
    }

    func setRecoveryCodes(_ codes: [SecretHash], of id: OperatorID) throws {
        try deleteRecoveryCodes(of: id)
        for code in codes {
            try connection.run(
                "INSERT INTO operator_recovery_codes (operator_id, code_hash) VALUES ($1, $2)",
                id,
                code
            )
        }
    }

    func deleteRecoveryCodes(of id: OperatorID) throws {
        try connection.run("DELETE FROM operator_recovery_codes WHERE operator_id = $1", id)
    }
}
