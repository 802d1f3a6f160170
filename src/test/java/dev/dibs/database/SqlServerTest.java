package dev.dibs.database;

/** The contracts on SQL Server, where one is given. */
@UsesDatabase(SqlServerDatabase.class)
class SqlServerTest extends DibsContract {

    @Override
    public String uuidType() {
        return "uniqueidentifier";
    }

    @Override
    public String textType() {
        return "nvarchar(60)";
    }
}
